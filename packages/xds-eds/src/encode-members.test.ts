import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, hasDuplicatePairs } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { encodeMembers } from "./encode-members.ts"
import { splitEndpoints } from "./split-endpoints.ts"
import { endpointGroups } from "./testing/arbitrary.ts"
import { endpointView } from "./testing/inputs.ts"

const view = endpointView()

const addressed = (addresses: ReadonlyArray<string>, port = 8080): ReadonlyArray<Endpoint> =>
  addresses.map((address) => endpoint({ addresses: [address], port }))

const hashesOf = (addresses: ReadonlyArray<string>, port?: number): Uint32Array =>
  encodeMembers(addressed(addresses, port), view).addresses

describe("encodeMembers", () => {
  const members = endpointGroups.map((groups) => groups.flatMap(({ endpoints }) => endpoints))

  it("gives of what was encoded before what it gives of nothing, whatever went, came and moved", () => {
    const edit = fc.record({ at: fc.nat(40), gone: fc.nat(12), come: members })
    fc.assert(
      fc.property(
        members,
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.nat(40),
        (first, edits, turn) => {
          const before = encodeMembers(first, view)
          const edited = edits.reduce<ReadonlyArray<Endpoint>>(
            (list, { at, come, gone }) => list.toSpliced(at % (list.length + 1), gone, ...come.slice(0, 3)),
            first
          )
          for (const now of [edited, [...edited.slice(turn), ...edited.slice(0, turn)], first])
            assert.deepStrictEqual(encodeMembers(now, view, before), encodeMembers(now, view))
        }
      ),
      { numRuns: 500 }
    )
  })

  it("encodes only what is new", () => {
    const first = addressed(["10.0.0.1", "10.0.0.2", "10.0.0.3"])
    const before = encodeMembers(first, view)
    // Whoever copies does not look at the endpoint.
    const bytes = before.bytes.with(5, 0xff)
    const now = encodeMembers([...first.slice(1), endpoint()], view, { ...before, bytes })
    assert.deepStrictEqual(
      splitEndpoints(now.bytes)
        .slice(0, 2)
        .map((one) => Buffer.from(one)),
      splitEndpoints(before.bytes)
        .slice(1)
        .map((one) => Buffer.from(one))
    )
    const kept = encodeMembers(first, view, { ...before, bytes })
    assert.deepStrictEqual(kept.bytes, bytes)
  })

  it("says where each member ends", () => {
    fc.assert(
      fc.property(members, (all) => {
        const { bytes, ends } = encodeMembers(all, view)
        assert.strictEqual(ends.at(-1) ?? 0, bytes.length)
        assert.deepStrictEqual(
          splitEndpoints(bytes).map((one) => one.byteOffset + one.length - bytes.byteOffset),
          [...ends]
        )
      })
    )
  })
})

describe("the addresses of encodeMembers", () => {
  it("are in pairs that stand twice exactly if an address does, in one list or two", () => {
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

  it("are different for 65,536 neighbours on three ports", () => {
    const addresses = Array.from({ length: 65_536 }, (_, i) => `10.7.${i >> 8}.${i & 255}`)
    assert.isFalse(
      hasDuplicatePairs([hashesOf(addresses), hashesOf(addresses, 8081), hashesOf(addresses, 80)])
    )
    assert.isTrue(hasDuplicatePairs([hashesOf(addresses), hashesOf(["10.7.200.3"])]))
  })

  it("do not count unix sockets, and know IPv6 in any of its texts", () => {
    assert.isFalse(hasDuplicatePairs([hashesOf(["/run/x", "/run/x"], 0)]))
    assert.isTrue(hasDuplicatePairs([hashesOf(["fd00::1"]), hashesOf(["fd00:0::1"])]))
  })
})
