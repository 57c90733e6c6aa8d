import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { flag, integer, mapOfTexts, many, message, one, readFields, schemaOf, text } from "./schema.ts"
import { intOrString, time } from "./special-types.ts"
import { TextPool } from "./text-pool.ts"
import { lengthDelimitedType, varintType, WireReader } from "./wire-reader.ts"

/** The encoding of a number: of negative ones as 64 bits in two's complement. */
const varint = (value: bigint): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

const number = (field: number, value: number | bigint): ReadonlyArray<number> => [
  ...varint(BigInt((field << 3) | varintType)),
  ...varint(BigInt(value))
]

const bytes = (field: number, content: Iterable<number>): ReadonlyArray<number> => {
  const value = [...content]
  return [...varint(BigInt((field << 3) | lengthDelimitedType)), ...varint(BigInt(value.length)), ...value]
}

const words = (field: number, value: string) => bytes(field, Buffer.from(value))

const pool = new TextPool()

const read = (fields: Parameters<typeof schemaOf>[0], content: Iterable<number>) => {
  const reader = new WireReader(Uint8Array.from(content), pool)
  return readFields(reader, reader.end, schemaOf(fields))
}

const timed = (content: ReadonlyArray<number>) => read({ 1: one("time", time) }, bytes(1, content)).time

const target = (content: ReadonlyArray<number>) =>
  read({ 4: one("port", intOrString) }, bytes(4, content)).port

describe("WireReader", () => {
  it("reads all numbers that JavaScript has", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        assert.deepEqual(read({ 3: one("a", integer) }, number(3, value)), { a: value })
      })
    )
    for (const value of [0, -1, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53 - 1])
      assert.deepEqual(read({ 1: one("a", integer) }, number(1, value)), { a: value })
  })

  it("reads all texts, whatever was read before", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 80 })), (texts) => {
        const content = texts.flatMap((value) => words(2, value))
        const wellFormed = texts.map((value) => value.toWellFormed())
        assert.deepEqual(read({ 2: many("a", text) }, content), texts.length === 0 ? {} : { a: wellFormed })
      })
    )
  })

  it("tells texts apart whose characters are the bytes of others", () => {
    const small = new TextPool()
    for (const value of ["Ã©", "é", "Ã©", "é"]) {
      const encoded = Buffer.from(value)
      assert.strictEqual(small.decode(encoded, 0, encoded.length), value)
    }
  })

  it("passes over fields that it does not know, of all wire types", () => {
    const other = [
      ...number(9, 2n ** 60n),
      ...bytes(8, [1, 2, 3]),
      0x39,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      0x3d,
      1,
      2,
      3,
      4
    ]
    assert.deepEqual(read({ 1: one("a", flag) }, [...other, ...number(1, 1), ...other]), { a: true })
    assert.throws(() => read({}, [0x3b]), "wire type 3")
  })

  it("reads maps with keys that objects inherit", () => {
    const entry = (key: string, value: string) => bytes(1, [...words(1, key), ...words(2, value)])
    const content = [...entry("__proto__", "a"), ...entry("toString", "b"), ...bytes(1, words(1, "c"))]
    const { map } = read({ 1: mapOfTexts("map") }, content)
    assert.deepEqual(Object.entries(map ?? {}), [
      ["__proto__", "a"],
      ["toString", "b"],
      ["c", ""]
    ])
  })

  it("refuses values that do not end with their message, and fields of another wire type", () => {
    const inner = one("a", message(schemaOf({ 1: one("b", text) })))
    assert.throws(
      () => read({ 1: inner }, [0x0a, 2, 0x0a, 5, 1, 2, 3, 4, 5]),
      "does not end with its message"
    )
    assert.throws(() => read({ 1: one("a", text) }, [0x0a, 9, 1]), "ends within a value")
    assert.throws(() => read({ 1: one("a", text) }, number(1, 5)), "field 1 has wire type 0")
    assert.throws(
      () => read({ 1: one("a", integer) }, [8, ...Array.from({ length: 11 }, () => 0xff)]),
      "ten bytes"
    )
  })
})

describe("time", () => {
  it("is RFC 3339, or nothing", () => {
    assert.strictEqual(timed([...number(1, 1_772_352_000), ...number(2, 999)]), "2026-03-01T08:00:00Z")
    assert.strictEqual(timed(number(1, -1)), "1969-12-31T23:59:59Z")
    assert.isUndefined(timed([]))
  })
})

describe("intOrString", () => {
  it("is a number or a text, digits or not", () => {
    assert.strictEqual(target([...number(1, 0), ...number(2, 8080), ...words(3, "")]), 8080)
    assert.strictEqual(target([...number(1, 1), ...number(2, 0), ...words(3, "8080")]), "8080")
    assert.strictEqual(target([]), 0)
  })
})
