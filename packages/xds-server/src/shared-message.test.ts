import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { SharedMessage } from "./shared-message.ts"
import { framed } from "./testing/http2-client.ts"

const part = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  fc.integer({ min: 4000, max: 5000 }).map((length) => new Uint8Array(length).fill(length))
)

describe("SharedMessage", () => {
  it("is its parts behind gRPC's prefix, for the first stream and for all others", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const message = new SharedMessage(parts)
        const expected = Buffer.concat(parts)
        assert.strictEqual(message.length, expected.length)
        for (const _ of ["first", "second", "third"]) {
          assert.isTrue(Buffer.concat(message.take()).equals(framed(expected)))
        }
        assert.isTrue(message.bytes.equals(expected))
      })
    )
  })

  it("sends large parts from where they are to one stream, and one joined piece to more", () => {
    const resource = Buffer.alloc(100_000, "r")
    const message = new SharedMessage([Buffer.from("head"), resource, Buffer.from("a"), Buffer.from("b")])
    const first = message.take()
    assert.deepStrictEqual(
      first.map(({ length }) => length),
      [5 + 4, 100_000, 2]
    )
    assert.strictEqual(first[1]?.buffer, resource.buffer)
    const second = message.take()
    assert.lengthOf(second, 1)
    assert.strictEqual(message.take()[0], second[0])
  })
})
