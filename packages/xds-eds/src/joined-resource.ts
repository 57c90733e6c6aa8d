import type { XdsResource } from "@istiod-lite/model"
import { concatBytes } from "@istiod-lite/xds-proto"
import { Buffer } from "node:buffer"

/** A resource in parts, put together when someone needs it in one piece: 1.5 MB at 10,000 endpoints. */
export class JoinedResource implements XdsResource {
  readonly name: string
  readonly version: string
  readonly parts: ReadonlyArray<Uint8Array>
  #bytes: Uint8Array | undefined

  constructor(name: string, version: string, parts: ReadonlyArray<Uint8Array>) {
    this.name = name
    this.version = version
    this.parts = parts
  }

  get bytes(): Uint8Array {
    this.#bytes ??= concatBytes(this.parts)
    return this.#bytes
  }
}

/** Whether two resources have the same bytes, wherever their parts end. */
export const haveEqualBytes = (a: XdsResource, b: XdsResource): boolean => {
  const [left, right] = [partsOf(a), partsOf(b)]
  if (lengthOf(left) !== lengthOf(right)) return false
  let [i, j, inLeft, inRight] = [0, 0, 0, 0]
  for (;;) {
    const [one, other] = [left[i], right[j]]
    if (one === undefined || other === undefined) return true
    const length = Math.min(one.length - inLeft, other.length - inRight)
    const isSame = one === other && inLeft === inRight
    if (!isSame && !equalRanges(one, inLeft, other, inRight, length)) return false
    inLeft += length
    inRight += length
    if (inLeft === one.length) [i, inLeft] = [i + 1, 0]
    if (inRight === other.length) [j, inRight] = [j + 1, 0]
  }
}

// Not taken apart: asking for the bytes puts them together.
const partsOf = (resource: XdsResource): ReadonlyArray<Uint8Array> => resource.parts ?? [resource.bytes]

const lengthOf = (parts: ReadonlyArray<Uint8Array>): number =>
  parts.reduce((sum, { length }) => sum + length, 0)

const equalRanges = (a: Uint8Array, atA: number, b: Uint8Array, atB: number, length: number): boolean =>
  Buffer.compare(a.subarray(atA, atA + length), b.subarray(atB, atB + length)) === 0
