import { type Endpoint, serviceKey, type ServiceEndpoints } from "@istiod-lite/model"
import { compact, compareCanonically, type Json, type JsonRecord } from "./json-value.ts"

/**
 * The endpoint index by service and shard; what has no endpoints is not listed.
 *
 * @param notes further fields of the endpoints of a shard
 */
export const endpointsJson = (
  services: Iterable<ServiceEndpoints>,
  notes: (shard: string) => JsonRecord = () => ({})
): Json =>
  Object.fromEntries(
    [...services].flatMap((service) => {
      const shards = shardsJson(service, notes)
      return Object.keys(shards).length === 0
        ? []
        : [[serviceKey(service.namespace, service.hostname), shards]]
    })
  )

const shardsJson = (
  { groups }: ServiceEndpoints,
  notes: (shard: string) => JsonRecord
): Readonly<Record<string, Json>> => {
  const shards = Map.groupBy(groups, ({ shard }) => shard)
  return Object.fromEntries(
    [...shards].flatMap(([shard, ofShard]) => {
      const further = notes(shard)
      const endpoints = ofShard.flatMap((group) =>
        group.endpoints.map((endpoint) => endpointJson(endpoint, further))
      )
      return endpoints.length === 0 ? [] : [[shard, endpoints.toSorted(compareCanonically)]]
    })
  )
}

const endpointJson = (endpoint: Endpoint, notes: JsonRecord): Json =>
  compact({
    addresses: endpoint.addresses,
    port: endpoint.port,
    servicePortName: endpoint.servicePortName,
    legacyClusterPortKey: endpoint.legacyClusterPortKey,
    labels: endpoint.labels,
    serviceAccount: endpoint.serviceAccount,
    network: endpoint.network,
    locality: endpoint.locality,
    clusterId: endpoint.cluster,
    lbWeight: endpoint.weight,
    tlsMode: endpoint.tlsMode,
    namespace: endpoint.namespace,
    workloadName: endpoint.workloadName,
    hostName: endpoint.hostname,
    subDomain: endpoint.subdomain,
    nodeName: endpoint.node,
    health: endpoint.health,
    sendUnhealthy: endpoint.sendUnhealthy,
    discoverability: endpoint.discoverability,
    ...notes
  })
