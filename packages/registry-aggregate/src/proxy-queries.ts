import type { Collection, Graph, Reader } from "@istiod-lite/collections"
import { compareText, type Proxy, type ProxyQueries, type Registry } from "@istiod-lite/model"

/** All but the Kubernetes registries of other clusters may know a proxy (S-43). */
const mayKnow = ({ cluster, provider }: Registry, proxy: Proxy): boolean =>
  provider !== "Kubernetes" || proxy.cluster === "" || cluster === proxy.cluster

const inOrder = "in order"

/** Queries about a proxy, asked of every registry that may know it, in S-40's order. */
export const proxyQueries = (graph: Graph, registries: Collection<Registry>): ProxyQueries => {
  const together = graph.index("registries together", registries, () => [inOrder])
  const ordered = graph.group("registries in order", together, (_, entries) =>
    entries
      .map(([, registry]) => registry)
      .toSorted((a, b) => a.precedence - b.precedence || compareText(a.id, b.id))
  )
  const all = (read: Reader): ReadonlyArray<Registry> => read.get(ordered, inOrder) ?? []
  return {
    targets: (read, proxy) =>
      all(read).flatMap((registry) => (mayKnow(registry, proxy) ? registry.targets(read, proxy) : [])),
    workloadLabels: (read, proxy) => {
      for (const registry of all(read)) {
        const labels = mayKnow(registry, proxy) ? registry.workloadLabels(read, proxy) : undefined
        if (labels !== undefined) return labels
      }
      return undefined
    },
    reads: [ordered]
  }
}
