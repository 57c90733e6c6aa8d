import { assert, describe, it } from "@effect/vitest"
import { exampleBlocks, packageNames, runExamples } from "./readme-examples.ts"

it("exampleBlocks takes ts blocks only", () => {
  assert.deepStrictEqual(exampleBlocks("a\n```ts\nx\n```\n```sh\ny\n```\n```ts\nz\n```\n"), ["x\n", "z\n"])
})

describe("README examples run under Node and Deno", { concurrent: true, timeout: 60_000 }, () => {
  it.each(packageNames())("%s", async (name) => {
    const failed = (await runExamples(name)).filter(({ passed }) => !passed)
    assert.deepStrictEqual(failed, [])
  })
})
