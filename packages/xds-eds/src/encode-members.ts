import type { Endpoint } from "@istiod-lite/model"
import { writeHashPair } from "@istiod-lite/model"
import { type AssignedEndpoint, assignEndpoint } from "./assigned-endpoint.ts"
import { BackwardWriter } from "./backward-writer.ts"
import { writeEndpoint } from "./encode-endpoint.ts"
import type { EndpointView } from "./endpoint-view.ts"
import { canonicalIp } from "./unique-addresses.ts"

/** Endpoints and their encoded form, of which another list may take over what has not changed. */
export interface EncodedMembers {
  readonly members: ReadonlyArray<Endpoint>
  /** `lb_endpoints` fields */
  readonly bytes: Uint8Array
  /** where the field of each member ends in `bytes` */
  readonly ends: Uint32Array
  /** hashes of the members' socket addresses, in pairs (`hasDuplicatePairs`); zeros for those that have none */
  readonly addresses: Uint32Array
}

// Encoding is synchronous and leaves nothing behind: one area serves all.
const scratch = new BackwardWriter(64 * 1024)

/** How many members may have gone from one place before those that are left are taken for new ones. */
const reach = 8

/**
 * Encodes endpoints as a view is told of them.
 *
 * Members of `before` that are still the same values, in the same order, are copied, all that follow each other at
 * once: of one change among hundreds of endpoints, one is encoded.
 *
 * @param before of an equal view
 */
export const encodeMembers = (
  members: ReadonlyArray<Endpoint>,
  view: EndpointView,
  before: EncodedMembers = none
): EncodedMembers => {
  const ends = new Uint32Array(members.length)
  const addresses = new Uint32Array(2 * members.length)
  // What is written backwards is measured from the end; `start` and `end` are of bytes that are to be copied next.
  let [start, end] = [0, 0]
  let last = before.members.length - 1
  for (let i = members.length - 1; i >= 0; i--) {
    ends[i] = scratch.mark + end - start
    const member = members[i]
    if (member === undefined) continue
    const place = lastPlaceOf(member, before.members, last)
    if (place < 0) {
      scratch.fields(before.bytes.subarray(start, end))
      start = end = 0
      const assigned = assignEndpoint(member, view)
      writeEndpoint(scratch, assigned)
      writeAddressHash(addresses, 2 * i, assigned)
      continue
    }
    last = place - 1
    addresses[2 * i] = before.addresses[2 * place] ?? 0
    addresses[2 * i + 1] = before.addresses[2 * place + 1] ?? 0
    const from = before.ends[last] ?? 0
    const to = before.ends[place] ?? 0
    if (to !== start) {
      scratch.fields(before.bytes.subarray(start, end))
      end = to
    }
    start = from
  }
  scratch.fields(before.bytes.subarray(start, end))
  const bytes = scratch.take()
  for (let i = 0; i < ends.length; i++) ends[i] = bytes.length - (ends[i] ?? 0)
  return { members, bytes, ends, addresses }
}

const none: EncodedMembers = {
  members: [],
  bytes: new Uint8Array(),
  ends: new Uint32Array(),
  addresses: new Uint32Array()
}

/** The place of a value in a list, at `last` or not far before; negative if it is not there. */
const lastPlaceOf = (value: Endpoint, list: ReadonlyArray<Endpoint>, last: number): number => {
  const first = Math.max(0, last - reach + 1)
  for (let i = last; i >= first; i--) if (list[i] === value) return i
  return -1
}

/** Hashes of socket addresses tell quickly whether some address stands twice among thousands (D-17). */
const writeAddressHash = (pairs: Uint32Array, at: number, { address }: AssignedEndpoint): void => {
  if (address.kind === "socket") writeHashPair(pairs, at, canonicalIp(address.address), address.port)
}
