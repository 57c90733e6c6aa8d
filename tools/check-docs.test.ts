import { assert, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { checkDocs } from "./check-docs.ts"

const problemsOf = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const root = mkdtempSync(join(tmpdir(), "docs-"))
  try {
    for (const [file, text] of Object.entries(files)) {
      const path = join(root, "packages/a", file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    return checkDocs(root).map((line) => line.split(" ", 2).join(" "))
  } finally {
    rmSync(root, { recursive: true })
  }
}

it("checkDocs finds undocumented exports, however mod.ts passes them on", () => {
  const problems = problemsOf({
    "mod.ts": `/** All of it. */\nexport * from "./src/x.ts"\nexport { taken, type T as U } from "./src/y.ts"`,
    "src/x.ts": `export const bare = 1\n/** Good. */\nexport interface Documented {}\n// No doc.\nexport class Bare {}`,
    "src/y.ts": `export const taken = 1\nexport const left = 1\nexport type T = 1`
  })
  assert.deepStrictEqual(problems, [
    "packages/a/src/x.ts: bare",
    "packages/a/src/x.ts: Bare",
    "packages/a/src/y.ts: taken",
    "packages/a/src/y.ts: T"
  ])
})

it("checkDocs wants one doc comment for a type and a value of one name, and none in generated code", () => {
  const problems = problemsOf({
    "mod.ts": `export * from "./src/x.ts"\nexport * from "./src/gen/y.ts"`,
    "src/x.ts": `/** A name. */\nexport type Name = string\nexport const Name = (name: string): Name => name`,
    "src/gen/y.ts": `export const bare = 1`
  })
  assert.deepStrictEqual(problems, [])
})
