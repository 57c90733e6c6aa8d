import { assert, describe, it } from "@effect/vitest"
import type { ServicePort } from "@istiod-lite/model"
import { entryService, service } from "@istiod-lite/model/testing"
import { mergeServices, withPorts } from "./service-merge.ts"

const port = (number: number, name = `p${number}`): ServicePort => ({ name, number, protocol: "TCP" })

describe("mergeServices", () => {
  const first = entryService({ ports: [port(80)] })
  const later = entryService({ ports: [port(443), port(80, "other")], objectName: "later" })

  it("adds ports with new numbers, and gives the same value for the same pair", () => {
    const merged = mergeServices(first, later)
    assert.deepEqual(merged, { ...first, ports: [port(80), port(443)] })
    assert.strictEqual(mergeServices(first, later), merged)
    assert.lengthOf(first.ports, 1)
  })

  it("keeps the first of definitions that differ in more than ports", () => {
    for (const other of [
      { namespace: "elsewhere" },
      { resolution: "dnsLB" as const },
      { labels: { a: "b" } },
      { labelSelectors: { a: "b" } },
      { exportTo: ["."] }
    ]) {
      assert.strictEqual(mergeServices(first, { ...later, ...other }), first, JSON.stringify(other))
    }
  })

  it("takes the Kubernetes definition whole, whichever comes first", () => {
    const kube = service({ hostname: first.hostname, ports: [port(1)] })
    assert.strictEqual(mergeServices(first, kube), kube)
    assert.strictEqual(mergeServices(kube, first), kube)
  })
})

describe("withPorts", () => {
  const two = service({ ports: [port(80), port(443)] })

  it("reduces a service to the wanted ports", () => {
    assert.deepEqual(withPorts(two, [443, 9]), { ...two, ports: [port(443)] })
    assert.strictEqual(withPorts(two, [443, 80]), two)
    assert.isUndefined(withPorts(two, [9]))
  })

  it("gives the same value for the same ports", () => {
    assert.strictEqual(withPorts(two, [80]), withPorts(two, [80, 7]))
  })
})
