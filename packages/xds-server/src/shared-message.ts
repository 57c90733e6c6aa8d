/** How many bytes gRPC writes before a message: a flag for compression, and the message's length. */
export const prefixLength = 5

/** Parts from this size on are sent from where they are; smaller ones are cheaper to copy than to send by themselves. */
const ownPartSize = 4096

/**
 * One message for clients, encoded once; any number of streams may be sending it, so its bytes must not change.
 *
 * It consists of parts, such as a response's head, its resources, and its tail. The first stream sends the parts as they
 * are: most large responses are for one stream, and need no second copy. With the second stream the parts are joined,
 * once, since one piece is cheaper to send many times. gRPC's prefix is a part of it: nobody copies a message to prepend
 * five bytes.
 */
export class SharedMessage {
  /** in bytes, without gRPC's prefix */
  readonly length: number
  private pieces: ReadonlyArray<Buffer>
  private isTaken = false

  constructor(parts: ReadonlyArray<Uint8Array>) {
    this.length = parts.reduce((sum, part) => sum + part.length, 0)
    this.pieces = piecesOf([prefixOf(this.length), ...parts])
  }

  /** gRPC's prefix and the message, in pieces that one stream sends behind one another. */
  take(): ReadonlyArray<Buffer> {
    if (this.isTaken) this.join()
    this.isTaken = true
    return this.pieces
  }

  /** The message in one piece, without gRPC's prefix. */
  get bytes(): Buffer {
    return this.join().subarray(prefixLength)
  }

  private join(): Buffer {
    const [first, second] = this.pieces
    if (first !== undefined && second === undefined) return first
    const joined = Buffer.concat(this.pieces, prefixLength + this.length)
    this.pieces = [joined]
    return joined
  }
}

/** Flag 0: what we send is never compressed. */
const prefixOf = (length: number): Buffer => {
  const prefix = Buffer.alloc(prefixLength)
  prefix.writeUInt32BE(length, 1)
  return prefix
}

/** The parts as they are sent: small neighbours copied together, large ones as they are. */
const piecesOf = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Buffer> => {
  const pieces: Array<Buffer> = []
  let small: Array<Uint8Array> = []
  const endSmall = (): void => {
    if (small.length > 0) pieces.push(Buffer.concat(small))
    small = []
  }
  for (const part of parts) {
    if (part.length < ownPartSize) {
      small.push(part)
    } else {
      endSmall()
      pieces.push(Buffer.from(part.buffer, part.byteOffset, part.length))
    }
  }
  endSmall()
  return pieces
}
