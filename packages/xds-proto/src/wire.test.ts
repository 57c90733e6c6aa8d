import { assert, describe, it } from "@effect/vitest"
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import * as fc from "fast-check"
import {
  concatBytes,
  lengthDelimited,
  nothing,
  uint32Field,
  utf8Field,
  utf8Length,
  varintLength,
  writeUtf8,
  writeVarint
} from "./wire.ts"

const uint32 = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0, 127, 128, 16383, 16384, 2097151)
)
const field = fc.integer({ min: 1, max: 0x1fffffff })
const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.array(fc.nat(0xffff)).map(utf16))

function utf16(units: ReadonlyArray<number>): string {
  return String.fromCharCode(...units)
}

describe("varint", () => {
  it("is what the library writes, with the length told", () => {
    fc.assert(
      fc.property(uint32, (value) => {
        const out = new Uint8Array(varintLength(value))
        assert.strictEqual(writeVarint(out, 0, value), out.length)
        assert.deepStrictEqual(out, new BinaryWriter().uint32(value).finish())
      })
    )
  })
})

describe("fields", () => {
  it("utf8Field equals the library's string field for any text, lone surrogates included", () => {
    fc.assert(
      fc.property(field, anyText, (number, text) => {
        const expected = new BinaryWriter()
          .tag(number, WireType.LengthDelimited)
          .bytes(new TextEncoder().encode(text))
          .finish()
        assert.deepStrictEqual(utf8Field(number, text), expected)
      })
    )
  })

  it("uint32Field equals the library's", () => {
    fc.assert(
      fc.property(field, uint32, (number, value) => {
        assert.deepStrictEqual(
          uint32Field(number, value),
          new BinaryWriter().tag(number, WireType.Varint).uint32(value).finish()
        )
      })
    )
  })

  it("lengthDelimited joins its parts, however they are split", () => {
    fc.assert(
      fc.property(field, fc.array(fc.uint8Array()), (number, parts) => {
        const whole = concatBytes(parts)
        assert.deepStrictEqual(lengthDelimited(number, ...parts), lengthDelimited(number, whole))
        assert.deepStrictEqual(
          lengthDelimited(number, whole),
          new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(whole).finish()
        )
      })
    )
  })

  it("a message written in parts reads back", () => {
    const reader = new BinaryReader(
      concatBytes([utf8Field(1, "zürich"), nothing, uint32Field(2, 4294967295)])
    )
    assert.deepStrictEqual(
      [reader.uint32(), reader.string(), reader.uint32(), reader.uint32()],
      [10, "zürich", 16, 4294967295]
    )
  })
})

describe("writeUtf8", () => {
  it("writes as many bytes as utf8Length says and touches no others", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const length = utf8Length(text)
        const out = new Uint8Array(length + 4).fill(7)
        assert.strictEqual(writeUtf8(out, 2, text), length + 2)
        assert.deepStrictEqual(out.subarray(2, length + 2), new TextEncoder().encode(text))
        assert.deepStrictEqual([out[0], out[1], out[length + 2], out[length + 3]], [7, 7, 7, 7])
      })
    )
  })
})
