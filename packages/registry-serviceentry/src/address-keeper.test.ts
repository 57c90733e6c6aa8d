import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import { Label, objectKey, type ServiceEntry } from "@istiod-lite/model"
import { serviceEntry } from "@istiod-lite/model/testing"
import { AddressKeeper } from "./address-keeper.ts"
import type { StatusAddresses } from "./status-allocator.ts"

const minute = 60_000
const optOut = { [Label.enableV2AutoAllocation]: "false" }

const entry = (
  name: string,
  fields: Partial<Omit<ServiceEntry, "meta">> & { readonly labels?: Record<string, string> } = {}
): ServiceEntry => {
  const { labels = {}, ...rest } = fields
  return serviceEntry({ ...rest, meta: { name, labels } })
}

/** Entries and who keeps their addresses; `write` does what was decided. */
const makeWorld = (ipv4 = "240.240.0.0/29", ...before: ReadonlyArray<ServiceEntry>) => {
  const graph = new Graph()
  const entries = graph.source<ServiceEntry>("entries")
  const put = (one: ServiceEntry): void => entries.set(objectKey(one.meta), one)
  before.forEach(put)
  const keeper = new AddressKeeper(entries, {
    pools: { ipv4, ipv6: "2001:2::/48" },
    quarantineMillis: 60 * minute,
    lookEveryMillis: 5000
  })
  entries.subscribe((changes) => keeper.observe(changes))
  const write = (now: number): void => {
    for (const { entry: one, wanted } of keeper.decide(now)) put({ ...one, statusAddresses: wanted })
    assert.deepStrictEqual(keeper.decide(now), [])
  }
  const ipv4Of = (name: string): ReadonlyArray<string> =>
    (entries.get(`shop/${name}`)?.statusAddresses ?? [])
      .map(({ value }) => value)
      .filter((value) => !value.includes(":"))
  return { graph, keeper, put, remove: (name: string) => entries.delete(`shop/${name}`), write, ipv4Of }
}

const status = (host: string, ...values: ReadonlyArray<string>): StatusAddresses =>
  values.map((value) => ({ host, value }))

describe("AddressKeeper.decide", () => {
  it("says what has to be written until it is written", () => {
    const { keeper, put, write } = makeWorld()
    put(entry("a"))
    const [decision] = keeper.decide(0)
    assert.deepStrictEqual(decision?.wanted, status("a.example", "240.240.0.1", "2001:2::1"))
    assert.deepStrictEqual(keeper.decide(0)[0], decision)
    write(0)
  })

  it("keeps what somebody else wrote, also against what was decided here", () => {
    const { keeper, put } = makeWorld()
    put(entry("a"))
    const [decision] = keeper.decide(0)
    assert.isTrue(decision !== undefined && keeper.stands(decision))
    put(entry("a", { statusAddresses: status("a.example", "240.240.0.6", "2001:2::6") }))
    assert.isFalse(decision !== undefined && keeper.stands(decision))
    assert.deepStrictEqual(keeper.decide(0), [])
  })

  it("writes again what somebody cleared, and clears what an entry may not have any more (case 36)", () => {
    const { ipv4Of, put, write } = makeWorld()
    put(entry("a"))
    write(0)
    put(entry("a"))
    write(0)
    assert.deepStrictEqual(ipv4Of("a"), ["240.240.0.1"])
    put(entry("a", { addresses: ["192.0.2.1"], statusAddresses: status("a.example", "240.240.0.1") }))
    write(0)
    assert.deepStrictEqual(ipv4Of("a"), [])
  })

  it("begins after the highest address in use", () => {
    const there = entry("a", { statusAddresses: status("a.example", "240.240.0.4", "2001:2::4") })
    const { ipv4Of, put, write } = makeWorld("240.240.0.0/29", there)
    put(entry("b"))
    write(0)
    assert.deepStrictEqual(ipv4Of("b"), ["240.240.0.5"])
  })
})

describe("AddressKeeper and addresses that nobody has any more", () => {
  it.each<[string, (world: ReturnType<typeof makeWorld>) => void]>([
    ["because the entry was deleted", ({ remove }) => remove("a")],
    ["because the entry opted out", ({ put }) => put(entry("a", { labels: optOut }))],
    ["because the entry has another host", ({ put }) => put(entry("a", { hosts: ["other.example"] }))]
  ])("gives them to others after an hour, %s", (_, giveUp) => {
    const world = makeWorld("240.240.0.0/30")
    world.put(entry("a"))
    world.write(0)
    giveUp(world)
    world.write(5000)
    world.put(entry("b", { hosts: ["b1.example", "b2.example", "b3.example"] }))
    world.write(59 * minute)
    assert.notInclude(world.ipv4Of("b"), "240.240.0.1")
    world.write(60 * minute + 5000)
    assert.include(world.ipv4Of("b"), "240.240.0.1")
  })

  it("leaves an address to the entry that somebody gave it to during the hour", () => {
    const { ipv4Of, keeper, put, remove, write } = makeWorld("240.240.0.0/30")
    put(entry("a"))
    write(0)
    remove("a")
    write(5000)
    put(entry("b", { statusAddresses: status("b.example", "240.240.0.1") }))
    put(entry("c", { hosts: ["c1.example", "c2.example", "c3.example"] }))
    write(60 * minute)
    write(120 * minute)
    assert.deepStrictEqual([ipv4Of("b"), ipv4Of("c")], [["240.240.0.1"], ["240.240.0.2", "240.240.0.3"]])
    assert.deepStrictEqual(keeper.usage().ipv4, { used: 3, size: 3 })
  })

  it("counts them", () => {
    const { keeper, put, remove, write } = makeWorld()
    put(entry("a"))
    put(entry("b"))
    write(0)
    remove("a")
    write(5000)
    const { ipv4, quarantined } = keeper.usage()
    assert.deepStrictEqual([ipv4, quarantined], [{ used: 2, size: 7 }, 2])
  })
})
