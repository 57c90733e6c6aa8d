import { assert, describe, it } from "@effect/vitest"
import { FrameCache, frameCacheLimits } from "./frame-cache.ts"
import type { Answer } from "./type-session.ts"

const resource = (name: string, size = 1) => ({ name, version: "1", bytes: new Uint8Array(size) })
const answer = (...resources: ReadonlyArray<ReturnType<typeof resource>>): Answer => ({
  resources,
  removed: []
})

describe("FrameCache", () => {
  it("gives equal answers one buffer, by the identity of their bytes", () => {
    const cache = new FrameCache("t")
    const a = resource("a")
    const first = cache.frame("sotw", "type", answer(a), undefined)
    assert.strictEqual(cache.frame("sotw", "type", answer({ ...a }), undefined), first)
    assert.notStrictEqual(cache.frame("sotw", "type", answer(resource("a")), undefined), first)
    assert.notStrictEqual(cache.frame("delta", "type", answer(a), undefined), first)
    assert.notStrictEqual(cache.frame("delta", "type", { ...answer(a), removed: ["b"] }, undefined), first)
  })

  it("gives no stream the same nonce twice in a row", () => {
    const cache = new FrameCache("t")
    const a = resource("a")
    const first = cache.frame("sotw", "type", answer(a), undefined)
    const second = cache.frame("sotw", "type", answer(a), first.nonce)
    assert.notStrictEqual(second.nonce, first.nonce)
    // Another stream that is behind in the same way shares the new one.
    assert.strictEqual(cache.frame("sotw", "type", answer(a), first.nonce), second)
  })

  it("keeps the newest frame whatever its size, and not the others beyond its limit", () => {
    const cache = new FrameCache("t")
    const [small, large] = [resource("small"), resource("large", frameCacheLimits.bytes + 1)]
    const first = cache.frame("sotw", "type", answer(small), undefined)
    const second = cache.frame("sotw", "type", answer(large), undefined)
    assert.strictEqual(cache.frame("sotw", "type", answer(large), undefined), second)
    assert.notStrictEqual(cache.frame("sotw", "type", answer(small), undefined), first)
  })
})
