import { assert, describe, it } from "@effect/vitest"
import { hasDuplicatePairs } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { addressHashes } from "./address-hashes.ts"
import { assignEndpoint } from "./assigned-endpoint.ts"
import { endpointView } from "./testing/inputs.ts"

const hashesOf = (addresses: ReadonlyArray<string>, port = 8080): Uint32Array =>
  addressHashes(
    addresses.map((address) => assignEndpoint(endpoint({ addresses: [address], port }), endpointView()))
  )

describe("addressHashes", () => {
  it("is true exactly if an address stands twice, in one list or two", () => {
    const address = fc.integer({ min: 1, max: 60 }).map((i) => `10.0.0.${i}`)
    fc.assert(
      fc.property(fc.array(fc.array(address, { maxLength: 8 }), { maxLength: 4 }), (lists) => {
        const all = lists.flat()
        assert.strictEqual(
          hasDuplicatePairs(lists.map((list) => hashesOf(list))),
          new Set(all).size < all.length
        )
      })
    )
  })

  it("finds none among 65,536 neighbours on three ports", () => {
    const addresses = Array.from({ length: 65_536 }, (_, i) => `10.7.${i >> 8}.${i & 255}`)
    assert.isFalse(
      hasDuplicatePairs([hashesOf(addresses), hashesOf(addresses, 8081), hashesOf(addresses, 80)])
    )
    assert.isTrue(hasDuplicatePairs([hashesOf(addresses), hashesOf(["10.7.200.3"])]))
  })

  it("does not count unix sockets, and knows IPv6 in any of its texts", () => {
    assert.isFalse(hasDuplicatePairs([hashesOf(["/run/x", "/run/x"], 0)]))
    assert.isTrue(hasDuplicatePairs([hashesOf(["fd00::1"]), hashesOf(["fd00:0::1"])]))
  })

  it("says yes rather than no for the hash that stands for an empty place", () => {
    assert.isTrue(hasDuplicatePairs([new Uint32Array([0, 0, 1, 1])]))
  })
})
