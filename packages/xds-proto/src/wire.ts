/**
 * A writer for protobuf's wire format, for encoders that keep parts of a message already encoded.
 *
 * A generated encoder walks a whole message each time. An encoder of 10,000 endpoints of which one changed would
 * rather join 9,999 old parts with a new one; a message is then the concatenation of its fields, in any split.
 * Every function returns fresh bytes or writes into given ones; nothing here keeps state.
 *
 * Nothing is left out by itself: a proto3 field that has its default value is written like any other, as oneofs,
 * map entries and repeated fields need it. For singular fields the caller decides, with `nothing` as the other branch.
 *
 * Source: protobuf "Encoding" (wire types 0 and 2).
 */

/** The encoding of a field that is not there. */
export const nothing: Uint8Array = new Uint8Array(0)

const varintType = 0
const lengthDelimitedType = 2

/** How many bytes `value` takes as a varint. `value` is an integer in 0 … 2³² − 1. */
export const varintLength = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5

/** Writes `value` (an integer in 0 … 2³² − 1) at `offset` and returns the offset behind it. */
export const writeVarint = (out: Uint8Array, offset: number, value: number): number => {
  let at = offset
  let rest = value
  while (rest > 0x7f) {
    out[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  out[at++] = rest
  return at
}

/** A tag for a length-delimited field (strings, bytes, messages, map entries), as `writeVarint` takes it. */
export const lengthDelimitedTag = (field: number): number => ((field << 3) | lengthDelimitedType) >>> 0

/** A tag for a varint field (integers, booleans, enums), as `writeVarint` takes it. */
export const varintTag = (field: number): number => ((field << 3) | varintType) >>> 0

/** The parts behind one another: the fields of a message are the message. */
export const concatBytes = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(totalLength(parts))
  writeParts(out, 0, parts)
  return out
}

/** Field `field` of a message type, string or bytes whose content is `parts` behind one another. */
export const lengthDelimited = (field: number, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const tag = lengthDelimitedTag(field)
  const length = totalLength(parts)
  const out = new Uint8Array(varintLength(tag) + varintLength(length) + length)
  const at = writeVarint(out, writeVarint(out, 0, tag), length)
  writeParts(out, at, parts)
  return out
}

/** Field `field` of type `string`. Lone surrogates become U+FFFD, as protobuf wants valid UTF-8. */
export const utf8Field = (field: number, text: string): Uint8Array => {
  const tag = lengthDelimitedTag(field)
  const length = utf8Length(text)
  const out = new Uint8Array(varintLength(tag) + varintLength(length) + length)
  writeUtf8(out, writeVarint(out, writeVarint(out, 0, tag), length), text)
  return out
}

/** Field `field` of type `uint32`, `bool` or an enum without negative values. */
export const uint32Field = (field: number, value: number): Uint8Array => {
  const tag = varintTag(field)
  const out = new Uint8Array(varintLength(tag) + varintLength(value))
  writeVarint(out, writeVarint(out, 0, tag), value)
  return out
}

/** The UTF-8 length of `text` in bytes, counting a lone surrogate as the three bytes of U+FFFD. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) {
      bytes += 1
      continue
    }
    bytes += 2
    // A pair is two units and four bytes: its second unit adds nothing more.
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) i++
  }
  return bytes
}

const utf8 = new TextEncoder()

/** Writes `text` as UTF-8 at `offset`, where `utf8Length(text)` bytes must be free, and returns the offset behind it. */
export const writeUtf8 = (out: Uint8Array, offset: number, text: string): number => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // Names, addresses and labels are ASCII and short: a loop beats the encoder's call until the first exception.
    if (unit > 0x7f) return offset + i + utf8.encodeInto(text.slice(i), out.subarray(offset + i)).written
    out[offset + i] = unit
  }
  return offset + text.length
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

const totalLength = (parts: ReadonlyArray<Uint8Array>): number => {
  let length = 0
  for (const part of parts) length += part.length
  return length
}

const writeParts = (out: Uint8Array, offset: number, parts: ReadonlyArray<Uint8Array>): void => {
  let at = offset
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
}
