import { join } from "node:path"
import { runCommand } from "../../tools/run-command.ts"
import { startChild, untilReady } from "./child.ts"

const launcher = join(import.meta.dirname, "../../apps/istiod-lite/bin/istiod-lite.cjs")

/** The istiod-lite program, serving a folder of manifests. */
export interface ControlPlane {
  /** Sends SIGTERM; the exit code. */
  readonly terminate: () => Promise<number | null>
  readonly output: () => string
  /** Standard output of a query command against the running server. */
  readonly query: (...args: ReadonlyArray<string>) => Promise<string>
}

/** Starts the program as a user does and waits until it is ready. */
export const startControlPlane = async (
  manifests: string,
  xdsPort: number,
  adminPort: number
): Promise<ControlPlane> => {
  const ports = ["--xds-port", String(xdsPort), "--admin-port", String(adminPort)]
  const child = startChild(process.execPath, [launcher, "serve", "--manifests", manifests, ...ports])
  const admin = `http://127.0.0.1:${adminPort}`
  await untilReady("istiod-lite", child, `${admin}/ready`)
  return {
    terminate: child.terminate,
    output: child.output,
    query: async (...args) => {
      const { code, output } = await runCommand(process.execPath, [launcher, ...args, "--server", admin])
      if (code !== 0) throw new Error(`istiod-lite ${args.join(" ")} ended with ${code}: ${output}`)
      return output
    }
  }
}
