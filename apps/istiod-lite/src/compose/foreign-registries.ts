import { type Collection, type Graph, untracked } from "@istiod-lite/collections"
import type {
  EndpointGroup,
  NetworkGateway,
  Registries,
  Registry,
  Service,
  WorkloadExchange,
  WorkloadInstance
} from "@istiod-lite/model"
import type { DetachedControlPlane } from "./compose-from-inputs.ts"

/** What a control plane's registries hold. */
interface Original {
  readonly registries: Registries["Service"]
  readonly workloads: WorkloadExchange["Service"]
}

/**
 * Adds to a copy the registries that it has not computed from objects: plugins that know services from elsewhere. They
 * are as they were when they were copied; asked about proxies, they answer as they stand.
 *
 * @param isForeign which workloads they have contributed. Default: those that the copy lacks, so that it has to be
 * filled before
 */
export const copyForeignRegistries = (
  original: Original,
  copy: DetachedControlPlane,
  isForeign: (key: string, workload: WorkloadInstance) => boolean = (key) =>
    copy.workloads.machines.all.get(key) === undefined
): void => {
  const { graph, registries, workloads } = copy
  graph.transaction(() => {
    for (const registry of original.registries.all.values())
      if (registries.all.get(registry.id) === undefined) registries.add(frozen(graph, registry))
    const foreign = graph.source<WorkloadInstance>("workloads of foreign registries")
    for (const [key, workload] of original.workloads.machines.all.entries())
      if (isForeign(key, workload)) foreign.set(key, workload)
    if (foreign.size > 0) workloads.contribute(foreign)
  })
}

const frozen = (graph: Graph, registry: Registry): Registry => ({
  ...registry,
  services: frozenCollection<Service>(graph, registry.services),
  endpoints: frozenCollection<EndpointGroup>(graph, registry.endpoints),
  gateways: frozenCollection<NetworkGateway>(graph, registry.gateways),
  targets: (_, proxy) => registry.targets(untracked, proxy),
  workloadLabels: (_, proxy) => registry.workloadLabels(untracked, proxy),
  reads: []
})

const frozenCollection = <V>(graph: Graph, from: Collection<V>): Collection<V> => {
  const source = graph.source<V>(from.name)
  source.replace(from.entries())
  return source
}
