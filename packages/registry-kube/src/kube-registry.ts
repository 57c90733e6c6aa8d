import type { Collection, Graph, Index, Reader } from "@istiod-lite/collections"
import {
  type ClusterObjects,
  type EndpointGroup,
  type EndpointSlice,
  equalEndpointGroups,
  equalServices,
  equalWorkloads,
  hasClusterSetHosts,
  isClusterSetHost,
  isDiscovered,
  labelKeysOfSelector,
  type MeshConfigValue,
  meshKey,
  type NetworkGateway,
  noLabels,
  objectKey,
  type Pod,
  type Registry,
  selects,
  type Service,
  shardKey,
  type WorkloadInstance,
  workloadKey,
  type Workloads
} from "@istiod-lite/model"
import {
  clusterSetGroup,
  clusterSetService,
  discoverabilityOf,
  equalImports,
  type ImportedService,
  importedService,
  indexImports,
  isImportedAtHome
} from "./cluster-set.ts"
import { convertEndpointSlice, serviceNameOfSlice, type SliceContext } from "./convert-endpoint-slice.ts"
import { convertService } from "./convert-service.ts"
import { machineEndpoints, selectsMachines } from "./machine-endpoints.ts"
import { networkGatewaysOf } from "./network-gateways.ts"
import { equalNetworkAssignments, networkAssignment } from "./network-of.ts"
import { equalPodFacts, type PodFacts, podFactsOf } from "./pod-facts.ts"
import { podWorkload } from "./pod-workload.ts"
import { makeProxyQueries } from "./proxy-queries.ts"
import type { KubeServicePair } from "./service-targets.ts"

/** The registry of one cluster, with what it shares with others. */
export interface KubeRegistry extends Registry {
  /** its pods, for ServiceEntries to select (S-18) */
  readonly workloads: Collection<WorkloadInstance>
  /** what it imports, for Services of all clusters */
  readonly imports: Collection<ImportedService>
}

/**
 * The registry of one cluster: its collections, derived from the cluster's objects.
 *
 * - networks: mesh networks × system namespace → how addresses get their network
 * - pods: Pod ⋈ Node ⋈ networks → what endpoints need of a pod, so that a status heartbeat stops here
 * - imports: ServiceImport → what all clusters' services are made of under hosts of the cluster set
 * - services: Service ⋈ Namespace ⋈ all clusters' imports → services
 * - endpoints: EndpointSlice ⋈ services ⋈ ServiceExport ⋈ pods, and Service.selector ⋈ WorkloadEntry (S-21)
 * - workloads: pods that ServiceEntries may select, made when one of those selects
 * - gateways: services that are entrances of a network
 *
 * Namespaces that the mesh's discovery selectors do not select have no pods and no services, so no endpoints either.
 * Joins read by name, so nothing depends on which object came first (D-5).
 */
export const makeKubeRegistry = (
  graph: Graph,
  source: ClusterObjects,
  options: {
    readonly isConfigCluster: boolean
    readonly mesh: Collection<MeshConfigValue>
    readonly workloads: Workloads
    /** of all clusters, by `indexImports`; left out: the cluster's own */
    readonly importsByKey?: Index<ImportedService>
  }
): KubeRegistry => {
  const { cluster, objects } = source
  const id = shardKey("Kubernetes", cluster)
  const name = (what: string): string => `${id}/${what}`
  const { isConfigCluster, mesh, workloads: exchange } = options

  const networks = graph.map(
    name("networks"),
    mesh,
    (_, settings, read) =>
      networkAssignment(
        settings.networks,
        cluster,
        read.get(objects.Namespace, `/${settings.rootNamespace}`)
      ),
    { reads: [objects.Namespace], equals: equalNetworkAssignments }
  )
  /** The settings under which everything is derived; a derivation that finds none has no output until there are. */
  const settingsOf = (read: Reader) => {
    const settings = read.get(mesh, meshKey)
    const assignment = read.get(networks, meshKey)
    return settings === undefined || assignment === undefined ? undefined : { settings, assignment }
  }

  const pods = graph.map<Pod, PodFacts>(
    name("pods"),
    objects.Pod,
    (_, pod, read) => {
      const under = settingsOf(read)
      if (under === undefined) return undefined
      if (!isDiscovered(under.settings, pod.meta.namespace, read, objects.Namespace)) return undefined
      const node = pod.node === "" ? undefined : read.get(objects.Node, `/${pod.node}`)
      return podFactsOf(pod, { cluster, mesh: under.settings, networks: under.assignment, node })
    },
    { reads: [mesh, networks, objects.Node, objects.Namespace], equals: equalPodFacts }
  )
  /** asked for by slices that do not name their pods, which few are */
  const podsByIp = graph.index(
    name("pods by IP"),
    pods,
    (pod) => (pod.available ? pod.ips.slice(0, 1) : []),
    { onDemand: true }
  )

  const workloads = graph.flatMap<PodFacts, WorkloadInstance>(
    name("workloads"),
    pods,
    (_, pod, read) => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined || !pod.available) return []
      const workload = podWorkload(pod, settings)
      return [[workloadKey(workload), workload]]
    },
    { reads: [mesh], equals: equalWorkloads, onDemand: true }
  )

  const imports = graph.flatMap(
    name("imports"),
    objects.ServiceImport,
    (key, object, read): ReadonlyArray<readonly [string, ImportedService]> => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined || !hasClusterSetHosts(settings)) return []
      if (!isDiscovered(settings, object.meta.namespace, read, objects.Namespace)) return []
      const imported = importedService(object, { cluster, isConfigCluster })
      return imported === undefined ? [] : [[`${id}|${key}`, imported]]
    },
    { reads: [mesh, objects.Namespace], equals: equalImports }
  )
  const { importsByKey = indexImports(graph, name("imports by key"), imports) } = options

  const services = graph.flatMap(
    name("services"),
    objects.Service,
    (key, service, read): ReadonlyArray<readonly [string, Service]> => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined) return []
      if (!isDiscovered(settings, service.meta.namespace, read, objects.Namespace)) return []
      const namespace = read.get(objects.Namespace, `/${service.meta.namespace}`)
      const namespaceAnnotations = namespace?.meta.annotations ?? noLabels
      const own = convertService(service, { cluster, mesh: settings, namespaceAnnotations })
      if (!hasClusterSetHosts(settings)) return [[`${id}|${key}`, own]]
      const found = read.lookup(importsByKey, key).map(([, imported]) => imported)
      const inClusterSet = clusterSetService(own, found)
      if (inClusterSet === undefined) return [[`${id}|${key}`, own]]
      return [
        [`${id}|${key}`, own],
        [`${id}|${key} in the cluster set`, inClusterSet]
      ]
    },
    { reads: [mesh, objects.Namespace, importsByKey], equals: equalServices }
  )
  const pairWith = (read: Reader, key: string, service: Service | undefined): KubeServicePair | undefined => {
    const kube = read.get(objects.Service, key)
    return service === undefined || kube === undefined ? undefined : { kube, service }
  }
  const serviceOf = (read: Reader, key: string): KubeServicePair | undefined =>
    pairWith(read, key, read.get(services, `${id}|${key}`))
  const inClusterSet = (read: Reader, key: string): KubeServicePair | undefined =>
    pairWith(read, key, read.get(services, `${id}|${key} in the cluster set`))

  const sliceEndpoints = graph.flatMap<EndpointSlice, EndpointGroup>(
    name("slice endpoints"),
    objects.EndpointSlice,
    (key, slice, read) => {
      const under = settingsOf(read)
      const serviceName = serviceNameOfSlice(slice)
      if (under === undefined || serviceName === undefined) return []
      const { settings } = under
      const serviceKey = objectKey({ namespace: slice.meta.namespace, name: serviceName })
      const pair = serviceOf(read, serviceKey)
      if (pair === undefined) return []
      const isExported =
        settings.exportedServicesOnly && read.get(objects.ServiceExport, serviceKey) !== undefined
      const groupKey = `${id}|EndpointSlice/${key}`
      const context: SliceContext = {
        cluster,
        mesh: settings,
        networks: under.assignment,
        service: pair.service,
        kubeService: pair.kube,
        discoverability: discoverabilityOf(pair.service, settings, isExported),
        podByName: (namespace, pod) => read.get(pods, objectKey({ namespace, name: pod })),
        podsByIp: (address) => read.lookup(podsByIp, address).map(([, pod]) => pod)
      }
      const group = convertEndpointSlice(slice, context, read.previous(groupKey)?.endpoints)
      if (group === undefined) return []
      if (!hasClusterSetHosts(settings)) return [[groupKey, group]]
      const imported = inClusterSet(read, serviceKey)?.service
      if (imported === undefined) return [[groupKey, group]]
      const discoverability = discoverabilityOf(imported, settings, isExported)
      return [
        [groupKey, group],
        [`${groupKey} in the cluster set`, clusterSetGroup(group, imported, discoverability)]
      ]
    },
    {
      reads: [mesh, networks, services, objects.Service, objects.ServiceExport, pods, podsByIp],
      equals: equalEndpointGroups
    }
  )

  const machines = graph.flatMap(
    name("machine endpoints"),
    services,
    (_, service, read): ReadonlyArray<readonly [string, EndpointGroup]> => {
      if (!isConfigCluster || !selectsMachines(service)) return []
      // Machines are not exported: they join the host of the cluster set where their own cluster imports it, as in Istio.
      if (isClusterSetHost(service.hostname) && !isImportedAtHome(service)) return []
      const key = objectKey(service)
      const kube = read.get(objects.Service, key)
      const [labelKey] = labelKeysOfSelector(service.namespace, service.labelSelectors)
      if (kube === undefined || labelKey === undefined) return []
      const selected = read
        .lookup(exchange.machines.byLabel, labelKey)
        .map(([, workload]) => workload)
        .filter(
          (workload) =>
            workload.kind === "WorkloadEntry" && selects(service.labelSelectors, workload.facts.labels)
        )
      const group = machineEndpoints(service, kube, selected, cluster)
      return group === undefined ? [] : [[`${id}|WorkloadEntries of ${service.hostname}`, group]]
    },
    { reads: [objects.Service, exchange.machines.byLabel], equals: equalEndpointGroups }
  )

  const allNodes = graph.index(name("all nodes"), objects.Node, () => ["all"])
  const gateways = graph.flatMap(
    name("gateways"),
    services,
    (_, service, read): ReadonlyArray<readonly [string, NetworkGateway]> => {
      const kube = read.get(objects.Service, objectKey(service))
      const settings = read.get(mesh, meshKey)
      if (kube === undefined || settings === undefined) return []
      return networkGatewaysOf(service, kube, {
        cluster,
        networks: settings.networks,
        nodes: () => read.lookup(allNodes, "all").map(([, node]) => node)
      }).map((gateway) => [
        `${id}|${gateway.network}|${gateway.address}|${gateway.port}|${service.hostname}`,
        gateway
      ])
    },
    {
      reads: [objects.Service, mesh, allNodes],
      equals: (a, b) => a.network === b.network && a.address === b.address && a.port === b.port
    }
  )

  const queries = makeProxyQueries(graph, {
    cluster,
    name,
    kubeServices: objects.Service,
    services,
    serviceOf,
    importOf: (read, key) => {
      const pair = inClusterSet(read, key)
      return pair !== undefined && isImportedAtHome(pair.service) ? pair : undefined
    },
    sliceEndpoints,
    pods,
    machinesByIp: isConfigCluster ? exchange.machines.byIp : undefined
  })
  return {
    id,
    provider: "Kubernetes",
    cluster,
    precedence: isConfigCluster ? 0 : 1,
    services,
    endpoints: graph.merge(name("endpoints"), [sliceEndpoints, machines]),
    workloads,
    imports,
    gateways,
    proxies: pods,
    ...queries,
    synced: source.synced,
    stale: () => source.stale?.()
  }
}
