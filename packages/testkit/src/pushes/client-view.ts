import { untracked } from "@istiod-lite/collections"
import { parseClusterName } from "@istiod-lite/mesh-policy"
import type { Proxy, XdsResource } from "@istiod-lite/model"
import { canonicalText, isForNobody, targetsJson, visibleJson } from "@istiod-lite/registry-aggregate"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { ControlPlane } from "../control-plane.ts"

/** What stands for one client: what it gets now, and what its clusters and listeners will be made of. */
export interface ClientView {
  readonly proxy: Proxy
  /** by cluster name: its clusters', and those that it was asked for before */
  readonly assignments: ReadonlyMap<string, XdsResource>
  /** by hostname: what its clusters and routes tell of a service, as text */
  readonly services: ReadonlyMap<string, string>
  /** by hostname: the ports of its own that serve it, as text; of none that is exported to nobody (S-19) */
  readonly targets: ReadonlyMap<string, string>
  /** its labels and its place, as text */
  readonly self: string
}

/** @param before what the client had: it stays subscribed to what it had subscribed to */
export const viewClient = (plane: ControlPlane, proxy: Proxy, before?: ClientView): ClientView => {
  const { discovery, policy, resources } = plane
  const view = policy.viewOf(untracked, proxy)
  const clusters = policy.clusterNames(untracked, view)
  const names = [...new Set([...clusters, ...(before?.assignments.keys() ?? [])])]
  const clustersOf = Map.groupBy(clusters, hostnameOf)
  const targets = Map.groupBy(
    discovery.targets(untracked, proxy).filter(({ service }) => !isForNobody(service)),
    ({ service }) => service.hostname
  )
  return {
    proxy,
    assignments: new Map(resources(endpointTypeUrl, names, proxy).map((one) => [one.name, one])),
    services: new Map(
      view.scope.services.map((service) => [
        service.hostname,
        canonicalText([
          visibleJson([service], (one) => ({
            addresses: policy.addresses(untracked, view, one),
            accounts: policy.accounts(untracked, one),
            // An alias is a service of its own, and is pushed by its own name.
            aliases: []
          })),
          clustersOf.get(service.hostname) ?? []
        ])
      ])
    ),
    targets: new Map(
      [...targets].map(([hostname, of]) => [hostname, canonicalText(targetsJson(of, undefined, view))])
    ),
    self: canonicalText([{ ...view.labels }, { ...view.locality }])
  }
}

/** The host of a cluster's name; of any other name the name itself. */
export const hostnameOf = (name: string): string => parseClusterName(name)?.hostname ?? name
