import type { TextPool } from "./text-pool.ts"

/** How a field's value is written: protobuf "Encoding". */
export type WireType = 0 | 1 | 2 | 5

/** The wire type of numbers and booleans. */
export const varintType: WireType = 0
/** The wire type of texts, messages and map entries. */
export const lengthDelimitedType: WireType = 2

/** Reads protobuf's wire format from front to back. Whatever is not in order throws. */
export class WireReader {
  /** offset of the next byte */
  at: number
  readonly #bytes: Buffer
  readonly #texts: TextPool

  constructor(bytes: Uint8Array, texts: TextPool, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#texts = texts
    this.at = at
  }

  get end(): number {
    return this.#bytes.length
  }

  /** A number from −2⁵³ to 2⁵³: Kubernetes' numbers are all signed, and negative ones take ten bytes. */
  varint(): number {
    const first = this.#next()
    if (first < 0x80) return first
    let low = first & 0x7f
    let high = 0
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.#next()
      if (shift < 28) low |= (byte & 0x7f) << shift
      else if (shift === 28) {
        low |= (byte & 0x0f) << 28
        high = (byte & 0x7f) >>> 4
      } else high |= (byte & 0x7f) << (shift - 32)
      if (byte < 0x80) return high * 2 ** 32 + (low >>> 0)
    }
    throw new Error("a number is longer than ten bytes")
  }

  /** Where the length-delimited value ends whose length comes next. */
  endOfValue(): number {
    const length = this.varint()
    const end = this.at + length
    if (length < 0 || end > this.end) throw new Error("it ends within a value")
    return end
  }

  text(): string {
    const end = this.endOfValue()
    const text = this.#texts.decode(this.#bytes, this.at, end)
    this.at = end
    return text
  }

  skip(wireType: number): void {
    if (wireType === varintType) this.varint()
    else if (wireType === lengthDelimitedType) this.at = this.endOfValue()
    else if (wireType === 1) this.at += 8
    else if (wireType === 5) this.at += 4
    else throw new Error(`there is no wire type ${wireType}`)
  }

  #next(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw new Error("it ends within a number")
    return byte
  }
}
