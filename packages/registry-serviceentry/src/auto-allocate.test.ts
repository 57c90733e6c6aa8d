import { assert, describe, it } from "@effect/vitest"
import { type Service, unspecifiedAddress } from "@istiod-lite/model"
import { entryService } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import {
  allocateIstioV1,
  allocateStable,
  type AutoAddresses,
  fnv1a,
  freeSlot,
  wantsAutoAddress
} from "./auto-allocate.ts"

const of = (hostname: string, fields: Partial<Service> = {}): Service =>
  entryService({ hostname, namespace: "retail", objectName: hostname, ...fields })

const ipv4Of = (allocated: ReadonlyMap<string, AutoAddresses>) =>
  Object.fromEntries([...allocated].map(([key, { ipv4 }]) => [key.replace("retail/", ""), ipv4]))

/** Hosts of different ages, each once. */
const hosts = fc
  .uniqueArray(fc.record({ name: fc.integer({ min: 0, max: 5000 }), age: fc.nat(3) }), {
    selector: ({ name }) => name,
    maxLength: 60
  })
  .map((all) =>
    all.map(({ age, name }) => of(`host-${name}.example`, { creationTime: `2026-01-0${age + 1}T00:00:00Z` }))
  )

describe("fnv1a", () => {
  it.each([
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["foobar", 0xbf9cf968]
  ])("of %j is the published value", (text, expected) => assert.strictEqual(fnv1a(text), expected))
})

describe("wantsAutoAddress (S-37)", () => {
  it.each([
    ["without address", {}, true],
    ["with an address", { defaultAddress: "192.0.2.1" }, false],
    ["of a wildcard host", { hostname: "*.example.com" }, false],
    ["that is Passthrough", { resolution: "passthrough" }, false]
  ] as const)("a service %s", (_, fields, expected) => {
    assert.strictEqual(
      wantsAutoAddress(entryService({ defaultAddress: unspecifiedAddress, ...fields })),
      expected
    )
  })
})

describe("allocateIstioV1 (S-37)", () => {
  // What istiod gave, in the conformance scenario v1-collisions, as hosts of one hash came and went.
  const s1 = of("store-400.retail.example", { objectName: "s1" })
  const s3 = of("store-238.retail.example", { objectName: "s3" })

  it("gives what istiod gives to two hosts of different slots", () => {
    assert.deepEqual(ipv4Of(allocateIstioV1([s1, s3])), {
      "store-238.retail.example": "240.240.101.103",
      "store-400.retail.example": "240.240.181.56"
    })
  })

  it("writes the two octets as one number in IPv6 (D-1)", () => {
    assert.strictEqual(
      allocateIstioV1([s3]).get("retail/store-238.retail.example")?.ipv6,
      "2001:2::f0f0:6567"
    )
  })

  it("gives two services of one host and namespace one address", () => {
    assert.strictEqual(allocateIstioV1([s1, of(s1.hostname, { objectName: "s1-too" })]).size, 1)
  })
})

describe("freeSlot (S-37)", () => {
  it.each([0, 1, 30_000, 65_022, 65_023])("finds the last free slot, %i, and ends", (free) => {
    for (const key of ["retail/a.example", "retail/b.example"]) {
      assert.strictEqual(
        freeSlot(key, (slot) => slot !== free),
        free
      )
    }
  })
})

describe.each([
  ["allocateIstioV1", allocateIstioV1],
  ["allocateStable", allocateStable]
])("%s, for any hosts", (_, allocate) => {
  it("never gives two of them one address, nor one that ends in 0 or 255", () => {
    fc.assert(
      fc.property(hosts, (services) => {
        const addresses = [...allocate(services).values()].map(({ ipv4 }) => ipv4)
        assert.strictEqual(new Set(addresses).size, services.length)
        assert.notInclude(
          addresses.map((address) => address.split(".")[3]),
          "0"
        )
        assert.notInclude(
          addresses.map((address) => address.split(".")[3]),
          "255"
        )
      })
    )
  })

  it("does not look at their order", () => {
    fc.assert(
      fc.property(hosts, (services) => {
        assert.deepEqual(ipv4Of(allocate(services.toReversed())), ipv4Of(allocate(services)))
      })
    )
  })
})

describe("allocateStable (D-8)", () => {
  it("moves nobody when a younger host comes", () => {
    fc.assert(
      fc.property(hosts, fc.integer({ min: 6000, max: 9000 }), (services, name) => {
        const younger = of(`host-${name}.example`, { creationTime: "2026-02-01T00:00:00Z" })
        const before = allocateStable(services)
        const after = allocateStable([...services, younger])
        for (const [key, address] of before) assert.deepEqual(after.get(key), address)
      })
    )
  })

  it("moves nobody whose slot it did not take when one goes", () => {
    const [a, b, c] = [of("a.example"), of("b.example"), of("c.example")]
    const { "b.example": _, ...others } = ipv4Of(allocateStable([a, b, c]))
    assert.deepEqual(ipv4Of(allocateStable([a, c])), others)
  })

  it("gives a younger host of a taken slot another one, whoever came first", () => {
    const byHash = new Map<number, string>()
    let pair: readonly [string, string] | undefined
    for (let i = 0; pair === undefined; i++) {
      const host = `h${i}.example`
      const slot = fnv1a(`retail/${host}`) % 65_024
      const other = byHash.get(slot)
      if (other !== undefined) pair = [other, host]
      byHash.set(slot, host)
    }
    const older = of(pair[1], { creationTime: "2026-01-01T00:00:00Z" })
    const younger = of(pair[0], { creationTime: "2026-02-01T00:00:00Z" })
    const both = ipv4Of(allocateStable([younger, older]))
    assert.strictEqual(both[pair[1]], ipv4Of(allocateStable([older]))[pair[1]])
    assert.notStrictEqual(both[pair[0]], both[pair[1]])
  })
})
