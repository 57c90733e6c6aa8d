import { compareText, type Proxy, type ProxyQueries, type Registry } from "@istiod-lite/model"

/** Registries that may know a proxy: all but the Kubernetes ones of other clusters (S-43), in S-40's order. */
const registriesFor = (registries: Iterable<Registry>, proxy: Proxy): ReadonlyArray<Registry> =>
  [...registries]
    .filter(
      ({ cluster, provider }) =>
        provider !== "Kubernetes" || proxy.cluster === "" || cluster === proxy.cluster
    )
    .toSorted((a, b) => a.precedence - b.precedence || compareText(a.id, b.id))

/** Queries about a proxy, asked of every registry that may know it. */
export const proxyQueries = (registries: () => Iterable<Registry>): Omit<ProxyQueries, "reads"> => ({
  targets: (read, proxy) =>
    registriesFor(registries(), proxy).flatMap((registry) => registry.targets(read, proxy)),
  workloadLabels: (read, proxy) => {
    for (const registry of registriesFor(registries(), proxy)) {
      const labels = registry.workloadLabels(read, proxy)
      if (labels !== undefined) return labels
    }
    return undefined
  }
})
