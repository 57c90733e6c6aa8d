import { spawn } from "node:child_process"

/** How a command ended: `code` is null when it could not be started or was killed; `output` holds both streams. */
export interface CommandResult {
  readonly code: number | null
  readonly output: string
}

/** Runs a command to its end, without a shell; `env` is laid over this process's environment. */
export const runCommand = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<CommandResult> =>
  new Promise((done) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
    const parts: Array<string> = []
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => parts.push(text))
    child.on("error", (error) => done({ code: null, output: `${parts.join("")}${error.message}` }))
    child.on("close", (code) => done({ code, output: parts.join("") }))
  })
