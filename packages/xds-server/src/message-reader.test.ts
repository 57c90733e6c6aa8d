import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxRequestLength, MessageReader } from "./message-reader.ts"
import { framed } from "./testing/http2-client.ts"
import { StreamCode } from "./transport.ts"

const messages = fc.array(fc.uint8Array({ maxLength: 300, size: "max" }), { maxLength: 20, size: "max" })
/** Where the bytes are cut, and whether all that is complete is read after each chunk. */
const cuts = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.boolean()), {
  minLength: 1,
  maxLength: 200,
  size: "max"
})

/** All that is complete. */
const readAll = (reader: MessageReader): ReadonlyArray<Uint8Array> => {
  const all: Array<Uint8Array> = []
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    if (!(next instanceof Uint8Array)) throw new Error(next.details)
    all.push(next)
  }
  return all
}

describe("MessageReader", () => {
  it("reads the same messages however they are cut, and leaves those alone that it has handed out", () => {
    fc.assert(
      fc.property(messages, cuts, (sent, lengths) => {
        const bytes = Buffer.concat(sent.map((message) => framed(message)))
        const reader = new MessageReader()
        const read: Array<Uint8Array> = []
        let at = 0
        for (const [length, reads] of lengths) {
          // A chunk is the socket's buffer: what is held of it must not be written to, but may be.
          reader.push(Buffer.from(bytes.subarray(at, at + length)))
          at = Math.min(at + length, bytes.length)
          if (reads) read.push(...readAll(reader))
        }
        reader.push(bytes.subarray(at))
        read.push(...readAll(reader))
        assert.deepStrictEqual(
          read.map((message) => [...message]),
          sent.map((message) => [...message])
        )
        assert.isTrue(reader.isEmpty)
      })
    )
  })

  it("never writes into a chunk", () => {
    const reader = new MessageReader()
    const socketBuffer = Buffer.alloc(100, 7)
    framed("hello").copy(socketBuffer)
    reader.push(socketBuffer.subarray(0, 3))
    readAll(reader)
    reader.push(socketBuffer.subarray(3, 8))
    reader.push(socketBuffer.subarray(8, 10))
    assert.strictEqual(Buffer.concat(readAll(reader)).toString(), "hello")
    assert.isTrue(socketBuffer.subarray(10).every((byte) => byte === 7))
  })

  it("takes a message of the greatest length, and none beyond", () => {
    const reader = new MessageReader()
    reader.push(framed(Buffer.alloc(maxRequestLength)))
    assert.lengthOf(readAll(reader)[0] ?? "", maxRequestLength)
    const prefix = Buffer.alloc(5)
    prefix.writeUInt32BE(maxRequestLength + 1, 1)
    reader.push(prefix)
    assert.deepInclude(reader.next(), { code: StreamCode.resourceExhausted })
  })

  it("refuses flags that nobody knows", () => {
    const reader = new MessageReader("gzip")
    reader.push(framed("x", 2))
    assert.deepInclude(reader.next(), { code: StreamCode.internal })
  })
})
