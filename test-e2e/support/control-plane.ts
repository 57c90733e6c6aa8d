import { join } from "node:path"
import { runCommand } from "../../tools/run-command.ts"
import { startChild, untilReady } from "./child.ts"

const launcher = join(import.meta.dirname, "../../apps/istiod-lite/bin/istiod-lite.cjs")

/** The istiod-lite program, serving a folder of manifests. */
export interface ControlPlane {
  /** Sends SIGTERM; the exit code. */
  readonly terminate: () => Promise<number | null>
  /** Ends it without a word. */
  readonly kill: () => Promise<void>
  readonly output: () => string
  /** Standard output of a query command against the running server. */
  readonly query: (...args: ReadonlyArray<string>) => Promise<string>
  /** Standard output of any other command. */
  readonly run: (...args: ReadonlyArray<string>) => Promise<string>
}

/** Starts the program on a folder of manifests, as a user does, and waits until it is ready. */
export const startControlPlane = (
  manifests: string,
  xdsPort: number,
  adminPort: number
): Promise<ControlPlane> => startServing(["--manifests", manifests], xdsPort, adminPort)

/** The same on any source: `args` are the other arguments of `serve`. */
export const startServing = async (
  args: ReadonlyArray<string>,
  xdsPort: number,
  adminPort: number,
  env: Readonly<Record<string, string>> = {}
): Promise<ControlPlane> => {
  const ports = ["--xds-port", String(xdsPort), "--admin-port", String(adminPort)]
  const child = startChild(process.execPath, [launcher, "serve", ...args, ...ports], env)
  const admin = `http://127.0.0.1:${adminPort}`
  await untilReady("istiod-lite", child, `${admin}/ready`)
  return {
    terminate: child.terminate,
    kill: child.kill,
    output: child.output,
    query: (...args) => runLauncher([...args, "--server", admin]),
    run: (...args) => runLauncher(args)
  }
}

const runLauncher = async (args: ReadonlyArray<string>): Promise<string> => {
  const { code, output } = await runCommand(process.execPath, [launcher, ...args])
  if (code !== 0) throw new Error(`istiod-lite ${args.join(" ")} ended with ${code}: ${output}`)
  return output
}
