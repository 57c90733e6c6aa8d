import { prefixLength } from "./shared-message.ts"
import { StreamCode, type StreamStatus } from "./transport.ts"

/** How large a request may be, in bytes: gRPC's usual limit. */
export const maxRequestLength = 4 * 1024 * 1024

const none: Buffer = Buffer.alloc(0)

/**
 * Cuts what arrives into gRPC's messages: chunks hold parts of messages, or several of them.
 *
 * Whole messages in a chunk are views of it. What waits for its rest is copied, so that a few bytes do not keep the much
 * larger buffer alive in which they came, and the copy grows with what arrives, not with what a prefix announces.
 *
 * Source: gRPC over HTTP/2, "Length-Prefixed-Message"; grpc/doc/compression.md.
 */
export class MessageReader {
  /** what has arrived and was not read yet, from `start` to `end` */
  private held = none
  private start = 0
  private end = 0
  /** whether `held` is a copy, which may be written to behind `end` */
  private isCopy = false
  private readonly encoding: string | undefined

  /** `encoding` is what the request's `grpc-encoding` says. */
  constructor(encoding?: string) {
    this.encoding = encoding
  }

  /** Whether all that arrived has been read. */
  get isEmpty(): boolean {
    return this.start === this.end
  }

  /** Takes in what has arrived. Call `next` until it has no more. */
  push(chunk: Buffer): void {
    if (this.isEmpty) {
      this.held = chunk
      this.start = 0
      this.end = chunk.length
      this.isCopy = false
      return
    }
    if (!this.isCopy || this.end + chunk.length > this.held.length) this.copyOut(chunk.length)
    // Bytes before `end` may have been handed out; they stay as they are.
    chunk.copy(this.held, this.end)
    this.end += chunk.length
  }

  /** The next message, undefined if it is not complete, or why the call has to end. */
  next(): Buffer | StreamStatus | undefined {
    const available = this.end - this.start
    if (available >= prefixLength) {
      const flag = this.held[this.start] ?? 0
      const length = this.held.readUInt32BE(this.start + 1)
      if (flag !== 0) return this.refuseFlag(flag)
      if (length > maxRequestLength) return tooLarge(length)
      if (available >= prefixLength + length) return this.take(length)
    }
    if (this.isEmpty) this.held = none
    else if (!this.isCopy) this.copyOut(0)
    return undefined
  }

  private take(length: number): Buffer {
    const begin = this.start + prefixLength
    this.start = begin + length
    return this.held.subarray(begin, this.start)
  }

  /** Copies what was not read into a buffer with room for `more` bytes, and for as much again as there is. */
  private copyOut(more: number): void {
    const length = this.end - this.start
    const copy = Buffer.allocUnsafeSlow(length + Math.max(more, length))
    this.held.copy(copy, 0, this.start, this.end)
    this.held = copy
    this.start = 0
    this.end = length
    this.isCopy = true
  }

  private refuseFlag(flag: number): StreamStatus {
    const { encoding = "identity" } = this
    if (flag === 1 && encoding !== "identity") {
      const details = `Cannot read messages that are compressed with ${encoding}: only identity is accepted`
      return { code: StreamCode.unimplemented, details }
    }
    const details =
      flag === 1
        ? "Cannot read a message that is marked as compressed: grpc-encoding does not say how"
        : `Cannot read a message: its flag is ${flag}: expected 0 or 1`
    return { code: StreamCode.internal, details }
  }
}

const tooLarge = (length: number): StreamStatus => ({
  code: StreamCode.resourceExhausted,
  details: `Cannot take a message of ${length} bytes: the most is ${maxRequestLength}`
})
