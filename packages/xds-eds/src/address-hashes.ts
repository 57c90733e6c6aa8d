import { writeHashPair } from "@istiod-lite/model"
import type { AssignedEndpoint } from "./assigned-endpoint.ts"
import { canonicalIp } from "./unique-addresses.ts"

/** Hashes of socket addresses, to ask quickly whether some address stands twice among thousands (D-17). */
export const addressHashes = (endpoints: ReadonlyArray<AssignedEndpoint>): Uint32Array => {
  const hashes = new Uint32Array(2 * endpoints.length)
  let used = 0
  for (const { address } of endpoints) {
    if (address.kind !== "socket") continue
    writeHashPair(hashes, used, canonicalIp(address.address), address.port)
    used += 2
  }
  return used === hashes.length ? hashes : hashes.slice(0, used)
}
