import { runCommand } from "../run-command.ts"
import { ProgramError } from "./program-error.ts"

/** Runs the Go tool in a folder with a go.mod; its standard output. */
export const go = async (
  what: string,
  args: ReadonlyArray<string>,
  folder: string,
  remedy: string
): Promise<string> => {
  const version = await runCommand("go", ["version"]).catch(() => undefined)
  if (version === undefined || version.code !== 0) {
    throw new ProgramError(`Cannot ${what}: there is no Go (1.24 or later) on the PATH; ${remedy}`, "")
  }
  const { code, output } = await runCommand("go", ["-C", folder, ...args])
  if (code !== 0) throw new ProgramError(`Cannot ${what} (${remedy}): go ${args.join(" ")}`, output)
  return output
}
