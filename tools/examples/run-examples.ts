import { join } from "node:path"
import { runCommand } from "../run-command.ts"
import { root, writtenExamples } from "./written-examples.ts"

// Deno's own type check takes seconds per example; typeCheckExamples checks the types of all of them.
const denoFlags = ["run", "--no-check", "--cached-only", "--no-remote", "--deny-net", "-R", "-E"]

/** How one example ended: `output` is what it printed, errors included. */
export interface ExampleRun {
  readonly label: string
  readonly passed: boolean
  readonly output: string
}

const run = async (label: string, command: string, args: ReadonlyArray<string>): Promise<ExampleRun> => {
  const { code, output } = await runCommand(command, args, { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" })
  return { label, passed: code === 0, output: output.trim() }
}

/** Runs a package's examples under Node and Deno, one after the other; having none counts as failed. */
export const runExamples = async (name: string): Promise<ReadonlyArray<ExampleRun>> => {
  using written = writtenExamples(name)
  if (written.files.length === 0)
    return [{ label: name, passed: false, output: "README.md has no ts example" }]
  const runs: Array<ExampleRun> = []
  for (const [index, file] of written.files.entries()) {
    const label = `${name} #${index + 1}`
    runs.push(await run(`${label} node ${process.version}`, process.execPath, [file]))
    runs.push(await run(`${label} deno`, join(root, "node_modules/.bin/deno"), [...denoFlags, file]))
  }
  return runs
}
