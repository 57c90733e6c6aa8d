import { assert, describe, it } from "@effect/vitest"
import { Label, type ServiceEntry } from "@istiod-lite/model"
import { serviceEntry } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { StatusAllocator } from "./status-allocator.ts"

/** Fewer addresses than hosts, so that the prefix is used up now and then. */
const pools = { ipv4: "240.240.0.0/28", ipv6: "2001:2::/48" }
const names = ["a", "b", "c", "d"] as const

type Step =
  | { readonly kind: "update"; readonly name: string; readonly hosts: number; readonly optOut: boolean }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "restart" }

const name = fc.constantFrom(...names)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("update"), name, hosts: fc.nat(4), optOut: fc.boolean() })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove"), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart") }) }
)

const entryOf = ({ hosts, name, optOut }: Extract<Step, { kind: "update" }>): ServiceEntry =>
  serviceEntry({
    meta: { name, labels: optOut ? { [Label.enableV2AutoAllocation]: "false" } : {} },
    hosts: Array.from({ length: hosts }, (_, i) => `${i}.${name}.example`)
  })

/** Plays the steps; after each one `look` sees the allocator and the entries that are there. */
const play = (
  steps: ReadonlyArray<Step>,
  look: (allocator: StatusAllocator, entries: ReadonlyMap<string, ServiceEntry>) => void
): StatusAllocator => {
  let allocator = new StatusAllocator(pools)
  const entries = new Map<string, ServiceEntry>()
  for (const one of steps) {
    switch (one.kind) {
      case "update": {
        const entry = entryOf(one)
        entries.set(`shop/${one.name}`, entry)
        allocator.update(entry)
        break
      }
      case "remove":
        entries.delete(`shop/${one.name}`)
        allocator.remove(`shop/${one.name}`)
        break
      case "restart":
        allocator = new StatusAllocator(pools, JSON.parse(JSON.stringify(allocator.state())))
        allocator.warm(entries.values())
        for (const entry of entries.values()) allocator.update(entry)
    }
    look(allocator, entries)
  }
  return allocator
}

const addressesOf = (allocator: StatusAllocator): ReadonlyMap<string, string> =>
  new Map(
    [...allocator.statuses.values()]
      .flat()
      .map(({ host, value }) => [`${host} ${value.includes(":")}`, value])
  )

describe("StatusAllocator, for any coming, going and restarting of entries", () => {
  it("never gives two hosts one address", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        play(steps, (allocator) => {
          const values = [...addressesOf(allocator).values()]
          assert.strictEqual(new Set(values).size, values.length)
        })
      })
    )
  })

  it("never takes an address from a host that stays", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let before: ReadonlyMap<string, string> = new Map()
        play(steps, (allocator) => {
          const now = addressesOf(allocator)
          const moved = [...before].filter(([host, address]) => (now.get(host) ?? address) !== address)
          assert.deepEqual(moved, [])
          before = now
        })
      })
    )
  })

  it("has a status for nobody but the hosts of entries that take one", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        play(steps, (allocator, entries) => {
          for (const [key, status] of allocator.statuses) {
            const entry = entries.get(key)
            assert.isDefined(entry)
            for (const { host } of status) assert.include(entry.hosts, host)
          }
        })
      })
    )
  })
})
