/** The capabilities of the control plane: packages implement them as layers and use them without knowing who did. */
import { type Collection, Graph, type Index, type Reader } from "@istiod-lite/collections"
import { Context, Layer } from "effect"
import type { EndpointGroup } from "./endpoint.ts"
import type { KnownProxy } from "./known-proxy.ts"
import type { MeshConfigValue } from "./mesh-config.ts"
import type { NetworkGateway } from "./network.ts"
import type { ServiceEntry } from "./objects/istio.ts"
import type { IstioObjects, KubeObjects } from "./objects/kinds.ts"
import type { Proxy } from "./proxy.ts"
import type { Provider, Service } from "./service.ts"
import type { Staleness } from "./staleness.ts"
import type { ServiceTarget, WorkloadInstance } from "./workload.ts"
import type { Labels } from "./labels.ts"

/** The graph that all collections of one control plane belong to. */
export class DiscoveryGraph extends Context.Service<DiscoveryGraph, Graph>()(
  "@istiod-lite/model/DiscoveryGraph"
) {
  static readonly layer = Layer.sync(DiscoveryGraph, () => new Graph())
}

/** One collection for each kind of a table of kinds. */
export type Collections<Shapes> = { readonly [K in keyof Shapes]: Collection<Shapes[K]> }

/** The Kubernetes objects of one cluster, keyed by `objectKey`. */
export interface ClusterObjects {
  readonly cluster: string
  readonly objects: Collections<KubeObjects>
  /** whether the first complete state has been applied */
  readonly synced: () => boolean
  /** undefined while it is known as it is. Left out: always */
  readonly stale?: () => Staleness | undefined
}

/** Typed input collections of Kubernetes and Istio objects: from an API server, from files, from memory. */
export class ObjectSource extends Context.Service<
  ObjectSource,
  {
    /** the cluster whose Istio objects count */
    readonly configCluster: string
    /** clusters by id; they come and go at run time */
    readonly clusters: Collection<ClusterObjects>
    readonly config: Collections<IstioObjects>
    readonly synced: () => boolean
  }
>()("@istiod-lite/model/ObjectSource") {}

/** The mesh configuration under `meshKey`: a collection, so that a reload recomputes what depends on it. */
export class MeshConfig extends Context.Service<MeshConfig, Collection<MeshConfigValue>>()(
  "@istiod-lite/model/MeshConfig"
) {}

/**
 * Statuses of ServiceEntries that an allocator of this process wrote, by `objectKey` (D-8). Left out where the
 * objects' own statuses are the truth.
 */
export class ServiceEntryStatuses extends Context.Service<
  ServiceEntryStatuses,
  Collection<ServiceEntry["statusAddresses"]>
>()("@istiod-lite/model/ServiceEntryStatuses") {}

/** Workloads, keyed by `workloadKey`, and ways to find them. */
export interface WorkloadLookup {
  readonly all: Collection<WorkloadInstance>
  /** by `labelKey` of each label */
  readonly byLabel: Index<WorkloadInstance>
  /** by each IP address */
  readonly byIp: Index<WorkloadInstance>
}

/** The shared workloads. Those of pods are made when someone asks for them: without ServiceEntries that select, nobody does. */
export interface Workloads extends WorkloadLookup {
  /** all but the pods */
  readonly machines: WorkloadLookup
}

/** The workloads of all registries, which each joins with its own selectors (mutual feeding, S-21, S-32). */
export class WorkloadExchange extends Context.Service<
  WorkloadExchange,
  Workloads & {
    /** Adds a registry's workloads, all of which are pods, or not; the result takes them out again. */
    readonly contribute: (workloads: Collection<WorkloadInstance>, what?: "machines" | "pods") => () => void
  }
>()("@istiod-lite/model/WorkloadExchange") {}

/** Queries about the workload behind a proxy. They read through a Reader, so a derivation may ask them and be woken. */
export interface ProxyQueries {
  /** the service ports that the proxy's workload serves: the inbound side (S-20) */
  readonly targets: (read: Reader, proxy: Proxy) => ReadonlyArray<ServiceTarget>
  /** the labels that the registries know of it, undefined if they do not know it (S-51) */
  readonly workloadLabels: (read: Reader, proxy: Proxy) => Labels | undefined
  /** everything that the two queries read */
  readonly reads: ReadonlyArray<Collection<unknown> | Index<unknown>>
}

/** What one source of services tells: the value that the aggregate merges. */
export interface Registry extends ProxyQueries {
  /** unique, `<provider>/<cluster>` for the built-in ones */
  readonly id: string
  readonly provider: Provider
  readonly cluster: string
  /** S-40: 0 for the configuration cluster's Kubernetes registry, 1 for other clusters', 2 for all others */
  readonly precedence: 0 | 1 | 2
  /** keys are unique over all registries: they begin with the registry's id */
  readonly services: Collection<Service>
  readonly endpoints: Collection<EndpointGroup>
  readonly gateways: Collection<NetworkGateway>
  /**
   * The proxies that it knows by name: when one changes, that proxy has to look at itself anew. Values may tell more, and
   * change by it. Left out by registries that know proxies only by the addresses of endpoints.
   */
  readonly proxies?: Collection<KnownProxy>
  readonly synced: () => boolean
  /** undefined while its source answers; what it holds goes on to be served. Left out: always */
  readonly stale?: () => Staleness | undefined
}

/** The registries that are there now, by id. */
export class Registries extends Context.Service<
  Registries,
  {
    readonly all: Collection<Registry>
    /** the union of what they hold, before anything is merged */
    readonly services: Collection<Service>
    readonly endpoints: Collection<EndpointGroup>
    readonly gateways: Collection<NetworkGateway>
    /** Adds a registry, in one transaction; the result removes it and all it brought. Fails if the id is taken. */
    readonly add: (registry: Registry) => () => void
  }
>()("@istiod-lite/model/Registries") {}

/** Endpoints of one service over all shards, duplicates between slices settled (S-15). */
export interface ServiceEndpoints {
  readonly hostname: string
  readonly namespace: string
  /** sorted by shard, then by the group's key */
  readonly groups: ReadonlyArray<EndpointGroup>
  /** identities of the endpoints; remembered while there are none (S-45) */
  readonly serviceAccounts: ReadonlyArray<string>
}

/** The phone book: all registries as one. */
export class ServiceDiscovery extends Context.Service<
  ServiceDiscovery,
  ProxyQueries & {
    /** merged services (S-41) */
    readonly services: Collection<Service>
    /** the same by hostname; the first entry wins a lookup by hostname (S-42) */
    readonly byHostname: Index<Service>
    /** by `serviceKey` */
    readonly endpoints: Collection<ServiceEndpoints>
    /** under `gatewaysKey`: all network gateways, sorted, hostnames resolved (S-44) */
    readonly gateways: Collection<ReadonlyArray<NetworkGateway>>
    readonly synced: () => boolean
  }
>()("@istiod-lite/model/ServiceDiscovery") {}

/** The only key of the network gateways' collection. */
export const gatewaysKey = "gateways"
