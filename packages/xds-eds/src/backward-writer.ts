import { utf8Length, varintLength, writeUtf8, writeVarint } from "@istiod-lite/xds-proto"

const lengthDelimited = 2

/**
 * Writes protobuf messages from their end to their beginning, into one area that is used again and again.
 *
 * A nested message is preceded by its length, which is known when its fields are there already: going backwards,
 * everything is written once and in place, where a forward writer has to measure first or to move bytes later. So
 * fields are written in descending order, and so are the elements of a list.
 */
export class BackwardWriter {
  #bytes: Uint8Array
  #at: number

  /** @param capacity bytes to begin with; the area grows as needed */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
    this.#at = capacity
  }

  /** How much has been written: the mark to give to `message` after the fields of a message. */
  get mark(): number {
    return this.#bytes.length - this.#at
  }

  /** A copy of everything that was written, which the writer forgets. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(this.#at)
    this.#at = this.#bytes.length
    return taken
  }

  /** Bytes that are fields already. */
  fields(encoded: Uint8Array): void {
    this.#at -= this.#room(encoded.length)
    this.#bytes.set(encoded, this.#at)
  }

  /** A `uint32`, `bool` or enum field. */
  uint32(field: number, value: number): void {
    this.#varint(value)
    this.#varint(field << 3)
  }

  /** A `string` field. */
  text(field: number, text: string): void {
    const length = utf8Length(text)
    this.#at -= this.#room(length)
    writeUtf8(this.#bytes, this.#at, text)
    this.#varint(length)
    this.#varint((field << 3) | lengthDelimited)
  }

  /** Makes what was written since `mark` the content of a message field. */
  message(field: number, mark: number): void {
    this.#varint(this.mark - mark)
    this.#varint((field << 3) | lengthDelimited)
  }

  #varint(value: number): void {
    const length = varintLength(value)
    this.#at -= this.#room(length)
    writeVarint(this.#bytes, this.#at, value)
  }

  /** Makes sure that `length` bytes are free, and returns `length`. */
  #room(length: number): number {
    if (length <= this.#at) return length
    const used = this.#bytes.length - this.#at
    const grown = new Uint8Array(2 * (used + length))
    grown.set(this.#bytes.subarray(this.#at), grown.length - used)
    this.#at = grown.length - used
    this.#bytes = grown
    return length
  }
}
