import { assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach } from "vitest"
import { commitOf, keepResults } from "./results-file.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bench-results-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8"
  }).trim()
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

describe("commitOf", () => {
  it("says when a checkout is not what its commit is; results alone do not count", () => {
    git("init", "-q")
    write("a", "1")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    const commit = git("rev-parse", "HEAD")
    assert.strictEqual(commitOf(folder), commit)
    write("bench-results.json", "{}")
    assert.strictEqual(commitOf(folder), commit)
    write("b", "new")
    assert.strictEqual(commitOf(folder), `${commit}-dirty`)
    rmSync(join(folder, "b"))
    write("a", "2")
    assert.strictEqual(commitOf(folder), `${commit}-dirty`)
  })

  it("knows no commit where there is no repository", () => {
    assert.strictEqual(commitOf(folder), "unknown")
  })
})

it("keepResults leaves what was not measured", () => {
  const file = join(folder, "results.json")
  keepResults(file, "load", { b: 1, c: 1 })
  keepResults(file, "micro", { figures: [] })
  keepResults(file, "load", { c: 2 })
  assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), {
    load: { b: 1, c: 2 },
    micro: { figures: [] }
  })
})
