import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CommandResult, runCommand } from "../run-command.ts"
import { packageNames, root, writtenExamples } from "./written-examples.ts"

/** Checks the types of all packages' examples at once: one compiler start instead of one per example. */
export const typeCheckExamples = async (
  names: ReadonlyArray<string> = packageNames()
): Promise<CommandResult> => {
  using written = new DisposableStack()
  const files = names.flatMap((name) => written.use(writtenExamples(name)).files)
  const folder = written.adopt(mkdtempSync(join(root, "tools/.readme-")), (path) =>
    rmSync(path, { recursive: true })
  )
  const config = join(folder, "tsconfig.json")
  const compilerOptions = { composite: false, incremental: false, declarationMap: false, noEmit: true }
  writeFileSync(config, JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions, files }))
  // Awaited here: leaving the function removes the files.
  return await runCommand(join(root, "node_modules/.bin/tsc"), ["-p", config])
}
