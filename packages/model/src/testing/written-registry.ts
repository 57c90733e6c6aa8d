import type { Graph, Source } from "@istiod-lite/collections"
import type { Registry } from "../capabilities.ts"
import { type EndpointGroup, equalEndpointGroups, shardKey } from "../endpoint.ts"
import type { NetworkGateway } from "../network.ts"
import { equalServices, type Service } from "../service.ts"

/** A registry whose collections a test writes itself, under keys that begin with the registry's id. */
export interface WrittenRegistry {
  readonly registry: Registry
  readonly services: Source<Service>
  readonly endpoints: Source<EndpointGroup>
  readonly gateways: Source<NetworkGateway>
}

/** `<provider>/<cluster>` without content; it knows no proxies unless `fields` says so. */
export const writtenRegistry = (
  graph: Graph,
  fields: Partial<Registry> & Pick<Registry, "provider" | "cluster">
): WrittenRegistry => {
  const id = fields.id ?? shardKey(fields.provider, fields.cluster)
  const services = graph.source<Service>(`${id}/services`, { equals: equalServices })
  const endpoints = graph.source<EndpointGroup>(`${id}/endpoints`, { equals: equalEndpointGroups })
  const gateways = graph.source<NetworkGateway>(`${id}/gateways`)
  const registry: Registry = {
    id,
    precedence: fields.provider === "Kubernetes" ? 1 : 2,
    services,
    endpoints,
    gateways,
    targets: () => [],
    workloadLabels: () => undefined,
    reads: [],
    synced: () => true,
    ...fields
  }
  return { registry, services, endpoints, gateways }
}
