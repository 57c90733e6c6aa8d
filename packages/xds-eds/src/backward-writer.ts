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
    this.#makeRoom(encoded.length)
    this.#at -= encoded.length
    this.#bytes.set(encoded, this.#at)
  }

  /** A `uint32`, `bool` or enum field. */
  uint32(field: number, value: number): void {
    this.#varint(value)
    this.#varint(field << 3)
  }

  /** A `string` field. */
  text(field: number, text: string): void {
    const mark = this.mark
    this.#utf8(text)
    this.message(field, mark)
  }

  /** A `string` field whose parts stand between semicolons. */
  semicolons(field: number, parts: ReadonlyArray<string>): void {
    const mark = this.mark
    for (let i = parts.length - 1; i >= 0; i--) {
      this.#utf8(parts[i] ?? "")
      if (i > 0) this.#byte(0x3b)
    }
    this.message(field, mark)
  }

  /** Makes what was written since `mark` the content of a message field. */
  message(field: number, mark: number): void {
    this.#varint(this.mark - mark)
    this.#varint((field << 3) | lengthDelimited)
  }

  #utf8(text: string): void {
    const length = text.length
    this.#makeRoom(length)
    const at = this.#at - length
    const bytes = this.#bytes
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) return this.#beyondAscii(text)
      bytes[at + i] = unit
    }
    this.#at = at
  }

  #beyondAscii(text: string): void {
    const length = utf8Length(text)
    this.#makeRoom(length)
    this.#at -= length
    writeUtf8(this.#bytes, this.#at, text)
  }

  #byte(value: number): void {
    this.#makeRoom(1)
    this.#bytes[--this.#at] = value
  }

  #varint(value: number): void {
    if (value < 0x80) return this.#byte(value)
    const length = varintLength(value)
    this.#makeRoom(length)
    this.#at -= length
    writeVarint(this.#bytes, this.#at, value)
  }

  #makeRoom(length: number): void {
    if (length <= this.#at) return
    const used = this.mark
    const grown = new Uint8Array(2 * (used + length))
    grown.set(this.#bytes.subarray(this.#at), grown.length - used)
    this.#at = grown.length - used
    this.#bytes = grown
  }
}
