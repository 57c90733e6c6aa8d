import { assert, describe, it } from "@effect/vitest"
import { DeltaDiscoveryResponse } from "@istiod-lite/xds-proto"
import { FrameCache } from "./frame-cache.ts"
import type { Answer } from "./type-session.ts"

/** What a delta client reads of an answer. */
const read = (cache: FrameCache, answer: Answer) => {
  const { message } = cache.frame("delta", "type", answer, undefined)
  const { removedResources, resources } = DeltaDiscoveryResponse.decode(message.bytes)
  return { names: resources.map(({ name }) => name), removed: removedResources }
}

describe("FrameCache, names that clients choose", () => {
  it("does not take one name with a line end in it for two", () => {
    const cache = new FrameCache("t")
    assert.deepStrictEqual(read(cache, { resources: [], removed: ["a\nb"] }).removed, ["a\nb"])
    assert.deepStrictEqual(read(cache, { resources: [], removed: ["a", "b"] }).removed, ["a", "b"])
  })

  it("tells resources apart that have the same content under two names", () => {
    const cache = new FrameCache("t")
    const bytes = new Uint8Array([1])
    const resource = (name: string) => ({ name, version: "1", bytes })
    for (const names of [["a"], ["b"], ["a", "b"], ["a"], ["b", "a"]]) {
      assert.deepStrictEqual(read(cache, { resources: names.map(resource), removed: [] }).names, names)
    }
  })
})
