import { assert, describe, it } from "@effect/vitest"
import { runExamples } from "./run-examples.ts"
import { typeCheckExamples } from "./type-check-examples.ts"
import { exampleBlocks, packageNames } from "./written-examples.ts"

it("exampleBlocks takes ts blocks only", () => {
  assert.deepStrictEqual(exampleBlocks("a\n```ts\nx\n```\n```sh\ny\n```\n```ts\nz\n```\n"), ["x\n", "z\n"])
})

it("the examples of all READMEs have the right types", { timeout: 60_000 }, async () => {
  const { code, output } = await typeCheckExamples()
  assert.strictEqual(code, 0, output)
})

describe("README examples run under Node and Deno", { concurrent: true, timeout: 60_000 }, () => {
  it.each(packageNames())("%s", async (name) => {
    const failed = (await runExamples(name)).filter(({ passed }) => !passed)
    assert.deepStrictEqual(failed, [])
  })
})
