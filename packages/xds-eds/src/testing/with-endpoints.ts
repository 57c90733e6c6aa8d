import type { ClusterLoadAssignment, LbEndpoint, LocalityLbEndpoints } from "@istiod-lite/xds-proto"

/** The collections that an assignment names. */
export const collectionsOf = (assignment: ClusterLoadAssignment): ReadonlyArray<string> =>
  assignment.endpoints.flatMap(collectionOf)

/**
 * An assignment whose collections are replaced by their endpoints, all of them in a fixed order, so that it compares with
 * one that contains them.
 */
export const withEndpoints = (
  assignment: ClusterLoadAssignment,
  membersOf: (collection: string) => ReadonlyArray<LbEndpoint> = () => []
): unknown => ({
  ...assignment,
  endpoints: assignment.endpoints.map((locality) => {
    const endpoints = [...locality.lbEndpoints, ...collectionOf(locality).flatMap(membersOf)]
    return {
      ...locality,
      lbConfig: undefined,
      lbEndpoints: endpoints.map((endpoint) => JSON.stringify(endpoint)).toSorted()
    }
  })
})

const collectionOf = ({ lbConfig }: LocalityLbEndpoints): ReadonlyArray<string> =>
  lbConfig?.$case === "ledsClusterLocalityConfig" ? [lbConfig.value.ledsCollectionName] : []
