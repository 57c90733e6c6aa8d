import { untracked } from "@istiod-lite/collections"
import type { ProxyView } from "@istiod-lite/mesh-policy"
import type { Proxy, XdsGenerator, XdsProtocol } from "@istiod-lite/model"
import { lbEndpointTypeUrl } from "@istiod-lite/xds-proto"
import { parseCollectionName } from "./collection-name.ts"
import type { GeneratorSources } from "./eds-generator.ts"
import { asksForLeds, type LedsAssignment, type LedsEncoder } from "./leds-encoder.ts"
import type { AssignmentInput } from "./plan-assignment.ts"
import { hostOf, removalsOf, scopeOf } from "./push-subjects.ts"
import { SharedAssignments } from "./shared-assignments.ts"

/** Finds the assignment of a cluster that names collections; undefined: the assignment contains its endpoints. */
export type LedsLookup = (
  view: ProxyView,
  revision: number
) => (cluster: string) => LedsAssignment | undefined

/** Single endpoints come after the assignments that say where they belong. */
const pushOrder = 2.5

/** Whether a stream of a proxy can carry single endpoints, and the proxy takes them. */
export const takesLeds = (proxy: Proxy, protocol: XdsProtocol | undefined): boolean =>
  protocol === "delta" && asksForLeds(proxy)

/** What the encoder says, shared by clients that see the same. */
export const ledsLookup = (
  encoder: LedsEncoder,
  inputOf: (view: ProxyView, name: string) => AssignmentInput
): LedsLookup => {
  const shared = new SharedAssignments<LedsAssignment | "whole">()
  return (view, revision) => (cluster) => {
    const found = shared.get(
      view,
      cluster,
      revision,
      (seen) => encoder.encode(inputOf(seen, cluster)) ?? "whole"
    )
    return found === "whole" ? undefined : found
  }
}

/** The LbEndpoints of assignments that name collections instead of containing them (D-21), for delta streams. */
export const ledsGenerator = (
  lookup: LedsLookup,
  { graph, policy }: Pick<GeneratorSources, "graph" | "policy">
): XdsGenerator => ({
  typeUrl: lbEndpointTypeUrl,
  order: pushOrder,
  allResourcesRequired: false,
  generate: (names, proxy, protocol) => {
    if (!takesLeds(proxy, protocol)) return []
    const find = lookup(policy.viewOf(untracked, proxy), graph.revision)
    return names.flatMap((name) => {
      const { cluster, path } = parseCollectionName(name) ?? {}
      if (cluster === undefined || path === undefined) return []
      const collection = find(cluster)?.collections.get(path)
      return collection?.name === name ? [collection.resource] : []
    })
  },
  scopeOf,
  removalsOf,
  subjectOf: (name) => hostOf(clusterOf(name)),
  parentOf: clusterOf
})

const clusterOf = (collection: string): string => parseCollectionName(collection)?.cluster ?? collection
