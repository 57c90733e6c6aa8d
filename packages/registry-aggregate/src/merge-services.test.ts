import { assert, describe, it } from "@effect/vitest"
import type { Service } from "@istiod-lite/model"
import { entryService, service } from "@istiod-lite/model/testing"
import { mergeKey, mergeServices } from "./merge-services.ts"

const merge = (...services: ReadonlyArray<Service>) =>
  mergeServices(services.map((one, i) => [`${i}`, one] as const))

describe("mergeServices (S-41)", () => {
  const first = service({
    cluster: "c1",
    clusterVips: { c1: ["10.1.0.1"] },
    serviceAccounts: ["a"],
    labels: { from: "c1" }
  })
  const second = service({
    cluster: "c2",
    clusterVips: { c2: ["10.2.0.1"] },
    serviceAccounts: ["a", "b"],
    labels: { from: "c2" },
    ports: []
  })

  it("unites addresses by cluster and accounts, and takes everything else from the first", () => {
    assert.deepEqual(merge(first, second), {
      ...first,
      clusterVips: { c1: ["10.1.0.1"], c2: ["10.2.0.1"] },
      serviceAccounts: ["a", "b"]
    })
  })

  it("keeps the first's addresses where two tell one cluster's", () => {
    assert.deepEqual(merge(first, service({ clusterVips: { c1: ["10.9.9.9"] } }))?.clusterVips, {
      c1: ["10.1.0.1"]
    })
  })

  it("never changes what it is given", () => {
    const copies = structuredClone([first, second])
    merge(first, second)
    assert.deepEqual([first, second], copies)
  })

  it("leaves a service alone that nobody else has", () => {
    assert.strictEqual(merge(first), first)
    assert.isUndefined(merge())
  })
})

describe("mergeKey (S-35, S-41, S-42, D-14)", () => {
  const old = { creationTime: "2026-01-01T00:00:00Z" }
  it("is one for all Kubernetes services of a hostname, whatever their cluster", () => {
    assert.strictEqual(
      mergeKey(service({ cluster: "c1" }), "x"),
      mergeKey(service({ cluster: "c2", ...old }), "y")
    )
    assert.notStrictEqual(mergeKey(service(), "x"), mergeKey(service({ namespace: "bank" }), "x"))
  })

  it.each([
    ["Kubernetes before others, whatever their age", service(), entryService(old)],
    [
      "the older before the younger",
      entryService({ ...old, objectName: "z" }),
      entryService({ objectName: "a" })
    ],
    [
      "the first object name of one age",
      entryService({ objectName: "a" }),
      entryService({ objectName: "b" })
    ],
    [
      "the first address of one object",
      entryService({ defaultAddress: "192.0.2.1" }),
      entryService({ defaultAddress: "192.0.2.2" })
    ]
  ])("sorts %s", (_, before, after) => {
    assert.isTrue(mergeKey(before, "z") < mergeKey(after, "a"))
  })
})
