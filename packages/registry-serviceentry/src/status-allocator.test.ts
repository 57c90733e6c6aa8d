import { assert, describe, it } from "@effect/vitest"
import { Label, objectKey, type ServiceEntry } from "@istiod-lite/model"
import { serviceEntry } from "@istiod-lite/model/testing"
import { StatusAllocator, type StatusAddresses } from "./status-allocator.ts"

const pools = { ipv4: "240.240.0.0/29", ipv6: "2001:2::/48" }

const entry = (
  name: string,
  {
    created = "2026-03-01T08:00:00Z",
    labels = {},
    ...fields
  }: Partial<Omit<ServiceEntry, "meta">> & {
    readonly created?: string
    readonly labels?: Record<string, string>
  } = {}
): ServiceEntry => serviceEntry({ ...fields, meta: { name, creationTime: created, labels } })

const status = (host: string, value: string): StatusAddresses => [{ host, value }]
const optOut = { [Label.enableV2AutoAllocation]: "false" }

/** The allocator after these entries have arrived one by one. */
const after = (...entries: ReadonlyArray<ServiceEntry>): StatusAllocator => {
  const allocator = new StatusAllocator(pools)
  for (const one of entries) allocator.update(one)
  return allocator
}

/** An entry whose manifest says that its first host has this address. */
const at = (of: ServiceEntry, value: string): ServiceEntry => ({
  ...of,
  statusAddresses: status(of.hosts[0] ?? "", value)
})

/** A new process that reads what `before` kept, and all entries at once. */
const restarted = (before: StatusAllocator, ...entries: ReadonlyArray<ServiceEntry>): StatusAllocator => {
  const allocator = new StatusAllocator(pools, JSON.parse(JSON.stringify(before.state())))
  allocator.warm(entries)
  for (const one of entries) allocator.update(one)
  return allocator
}

/** `host=address` of all IPv4 addresses given. */
const given = (allocator: StatusAllocator): ReadonlyArray<string> =>
  [...allocator.statuses.values()]
    .flat()
    .filter(({ value }) => !value.includes(":"))
    .map(({ host, value }) => `${host}=${value.replace("240.240.0", "")}`)
    .toSorted()

describe("StatusAllocator.update gives addresses", () => {
  it("of both families to every host, in order of arrival", () => {
    const allocator = after(entry("b"), entry("a", { hosts: ["a1.example", "a2.example", "a1.example"] }))
    assert.deepEqual(Object.fromEntries(allocator.statuses), {
      "shop/b": [...status("b.example", "240.240.0.1"), ...status("b.example", "2001:2::1")],
      "shop/a": [
        ...status("a1.example", "240.240.0.2"),
        ...status("a1.example", "2001:2::2"),
        ...status("a2.example", "240.240.0.3"),
        ...status("a2.example", "2001:2::3")
      ]
    })
  })

  it.each<[string, Partial<Omit<ServiceEntry, "meta">> & { labels?: Record<string, string> }, boolean]>([
    ["without resolution", { resolution: "NONE" }, false],
    ["with addresses of its own", { addresses: ["192.0.2.1"] }, false],
    ["that opted out", { labels: optOut }, false],
    ["that opted in", { labels: { [Label.enableV2AutoAllocation]: "true" } }, true],
    ["of a wildcard host", { hosts: ["*.example"] }, false],
    ["of a wildcard host that the proxy resolves", { hosts: ["*.example"], resolution: "DYNAMIC_DNS" }, true],
    ["with endpoints", { resolution: "STATIC" }, true]
  ])("to an entry %s: %#", (_, fields, expected) => {
    assert.strictEqual(after(entry("a", fields)).statuses.has("shop/a"), expected)
  })

  it("to a host that is added, and leaves the others theirs", () => {
    const allocator = after(entry("a"), entry("b"), entry("a", { hosts: ["new.example", "a.example"] }))
    assert.deepEqual(given(allocator), ["a.example=.1", "b.example=.2", "new.example=.3"])
  })

  it("and forgets those of a host that is taken out, without handing them out again", () => {
    const allocator = after(
      entry("a", { hosts: ["x.example", "y.example"] }),
      entry("a", { hosts: ["y.example"] })
    )
    allocator.update(entry("b"))
    assert.deepEqual(given(allocator), ["b.example=.3", "y.example=.2"])
  })
})

describe("StatusAllocator.update settles conflicts", () => {
  const older = entry("older", { created: "2026-01-01T00:00:00Z" })
  const younger = entry("younger", { created: "2026-02-01T00:00:00Z" })
  const sameAge = entry("same-age", { created: "2026-02-01T00:00:00Z" })
  it.each<[string, ReadonlyArray<ServiceEntry>, ReadonlyArray<string>]>([
    [
      "for the older entry, which came first",
      [at(older, "240.240.0.5"), at(younger, "240.240.0.5")],
      ["older.example=.5", "younger.example=.1"]
    ],
    [
      "for the older entry, which came last",
      [at(younger, "240.240.0.5"), at(older, "240.240.0.5")],
      ["older.example=.5", "younger.example=.1"]
    ],
    [
      "of one age for the first name (D-14)",
      [at(younger, "240.240.0.5"), at(sameAge, "240.240.0.5")],
      ["same-age.example=.5", "younger.example=.1"]
    ],
    [
      "for what a user wrote, against the older entry",
      [at(older, "240.240.0.5"), { ...younger, addresses: ["240.240.0.5"] }],
      ["older.example=.1"]
    ],
    [
      "for what a user wrote, against an address handed out before",
      [older, younger, entry("user", { addresses: ["240.240.0.1"] })],
      ["older.example=.3", "younger.example=.2"]
    ],
    [
      "not between two users: both meant it",
      [
        { ...older, addresses: ["240.240.0.5"] },
        { ...younger, addresses: ["240.240.0.5"] }
      ],
      []
    ],
    [
      "not with an entry that has opted out and still says an address",
      [at(entry("older", { labels: optOut }), "240.240.0.5"), at(younger, "240.240.0.5")],
      ["younger.example=.5"]
    ]
  ])("%s", (_, entries, expected) => assert.deepEqual(given(after(...entries)), expected))

  it("once: an entry whose manifest still says the address that it lost keeps its new one", () => {
    const allocator = after(at(older, "240.240.0.5"), at(younger, "240.240.0.5"))
    allocator.update({ ...at(younger, "240.240.0.5"), exportTo: ["."] })
    assert.deepEqual(given(allocator), ["older.example=.5", "younger.example=.1"])
  })

  it("takes the new address that a manifest says", () => {
    const allocator = after(at(older, "240.240.0.5"), at(older, "240.240.0.6"))
    assert.deepEqual(given(allocator), ["older.example=.6"])
  })

  it("and bears a status that is no address", () => {
    const allocator = after(at(older, "soon"), entry("older", { labels: optOut }))
    assert.deepEqual(given(allocator), [])
  })
})

describe("StatusAllocator when a prefix is used up", () => {
  const hosts = Array.from({ length: 8 }, (_, i) => `h${i}.example`)

  it("gives the other family only, to hosts that come late", () => {
    const allocator = after(entry("many", { hosts }))
    assert.deepEqual(
      allocator.statuses.get("shop/many")?.filter(({ host }) => host === "h7.example"),
      status("h7.example", "2001:2::8")
    )
  })

  it("shares no address in a conflict", () => {
    const used = hosts.slice(0, 7)
    const conflicting = entry("z", { statusAddresses: status("z.example", "240.240.0.1") })
    assert.notInclude(given(after(entry("many", { hosts: used }), conflicting)), "z.example=.1")
  })

  it("gives what an entry that opts out gave back", () => {
    const allocator = after(entry("many", { hosts: hosts.slice(1) }), entry("many", { labels: optOut }))
    allocator.update(entry("late"))
    assert.deepEqual(given(allocator), ["late.example=.1"])
  })
})

describe("StatusAllocator takes addresses back", () => {
  it.each<[string, ServiceEntry]>([
    ["of an entry that opts out", entry("a", { labels: optOut })],
    ["of an entry that gets addresses of its own", entry("a", { addresses: ["192.0.2.1"] })],
    ["of an entry that loses its resolution", entry("a", { resolution: "NONE" })]
  ])("%s", (_, changed) => {
    assert.deepEqual(given(after(entry("a"), entry("b"), changed, entry("c"))), [
      "b.example=.2",
      "c.example=.1"
    ])
  })

  it("but not from an entry whose user writes the automatic address down", () => {
    const pinned = entry("a", { addresses: ["240.240.0.1"] })
    assert.deepEqual(given(after(entry("a"), pinned, entry("b"))), ["b.example=.2"])
  })

  it("but not of a deleted entry: its clients may still hold them", () => {
    const allocator = after(entry("a"))
    allocator.remove("shop/a")
    allocator.update(entry("b"))
    allocator.update(entry("a"))
    assert.deepEqual(given(allocator), ["a.example=.3", "b.example=.2"])
  })
})

describe("StatusAllocator.warm", () => {
  it("hands out nothing that a later entry has", () => {
    const entries = [
      entry("a"),
      entry("b", { statusAddresses: status("b.example", "240.240.0.1") }),
      entry("user", { addresses: ["240.240.0.2", "not an address"] })
    ]
    const allocator = new StatusAllocator(pools)
    allocator.warm(entries)
    for (const one of entries) allocator.update(one)
    assert.deepEqual(given(allocator), ["a.example=.3", "b.example=.1"])
  })
})

describe("StatusAllocator after a restart", () => {
  it("gives every host the address it had, whatever the order of arrival", () => {
    const before = after(entry("a"), entry("b"), entry("c"))
    const now = restarted(before, entry("c"), entry("new"), entry("b"), entry("a"))
    assert.deepEqual(given(now), ["a.example=.1", "b.example=.2", "c.example=.3", "new.example=.4"])
  })

  it("does not hand out the addresses of entries deleted before", () => {
    const before = after(entry("a"), entry("b"))
    before.remove("shop/b")
    assert.deepEqual(given(restarted(before, entry("a"), entry("c"))), ["a.example=.1", "c.example=.3"])
  })

  it("keeps what it decided in a conflict against what the manifest still says", () => {
    const older = entry("a", { statusAddresses: status("a.example", "240.240.0.5") })
    const younger = entry("b", { statusAddresses: status("b.example", "240.240.0.5") })
    const before = after(older, younger)
    assert.deepEqual(given(restarted(before, younger, older)), given(before))
  })

  it("takes an entry's addresses back that opted out meanwhile", () => {
    const now = restarted(
      after(entry("a"), entry("b")),
      entry("a", { labels: optOut }),
      entry("b"),
      entry("c")
    )
    assert.deepEqual(given(now), ["b.example=.2", "c.example=.1"])
  })

  it("says the same state again", () => {
    const before = after(entry("b"), entry("a"))
    assert.deepEqual(restarted(before, entry("a"), entry("b")).state(), before.state())
  })
})

describe("StatusAllocator.statuses", () => {
  it("are keyed by namespace and name", () => {
    const one = entry("a")
    assert.deepEqual([...after(one).statuses.keys()], [objectKey(one.meta)])
  })
})
