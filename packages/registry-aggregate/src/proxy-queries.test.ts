import { Graph, untracked } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import type { Registry } from "@istiod-lite/model"
import { proxy, service, writtenRegistry } from "@istiod-lite/model/testing"
import { proxyQueries } from "./proxy-queries.ts"

const graph = new Graph()
const registry = (
  provider: string,
  cluster: string,
  precedence: Registry["precedence"],
  known = true
): Registry => {
  const of = service({ name: `${provider} ${cluster}` })
  const port = { name: "http", number: 80, protocol: "HTTP" } as const
  return writtenRegistry(graph, {
    provider,
    cluster,
    precedence,
    targets: () => [{ service: of, port, targetPort: 8080 }],
    workloadLabels: () => (known ? { from: of.name } : undefined)
  }).registry
}
const all = graph.source<Registry>("registries")
for (const added of [
  registry("External", "c1", 2),
  registry("Kubernetes", "c3", 1),
  registry("Kubernetes", "c2", 1),
  registry("Kubernetes", "c1", 0, false)
])
  all.set(added.id, added)
const queries = proxyQueries(graph, all)

describe("proxyQueries", () => {
  it.each([
    ["the Kubernetes registry of its own cluster and all others", "c1", ["Kubernetes c1", "External c1"]],
    ["whatever the cluster of a registry that is not Kubernetes", "c2", ["Kubernetes c2", "External c1"]],
    ["only others, of an unknown cluster", "c9", ["External c1"]],
    [
      "all registries for one that names no cluster, the configuration's first (S-40)",
      "",
      ["Kubernetes c1", "Kubernetes c2", "Kubernetes c3", "External c1"]
    ]
  ])("ask for targets %s (S-43)", (_, cluster, expected) => {
    const targets = queries.targets(untracked, proxy({ cluster }))
    assert.deepEqual(
      targets.map((target) => target.service.name),
      expected
    )
  })

  it("take the labels of the first registry that knows the proxy (S-51)", () => {
    assert.deepEqual(queries.workloadLabels(untracked, proxy({ cluster: "c1" })), { from: "External c1" })
    assert.deepEqual(queries.workloadLabels(untracked, proxy({ cluster: "" })), { from: "Kubernetes c2" })
  })
})
