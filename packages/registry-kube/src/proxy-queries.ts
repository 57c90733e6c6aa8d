import type { Collection, Graph, Index, Reader } from "@istiod-lite/collections"
import {
  augmentLabels,
  type EndpointGroup,
  type KubeService,
  objectKey,
  type Proxy,
  type ProxyQueries,
  type Service,
  type ServiceTarget,
  type WorkloadInstance
} from "@istiod-lite/model"
import type { PodFacts } from "./pod-facts.ts"
import {
  isSelected,
  type KubeServicePair,
  machineOfProxy,
  targetsOfMachine,
  targetsOfMetadata,
  targetsOfPod,
  targetsOfSlices
} from "./service-targets.ts"

/** What the queries of one cluster's registry read. */
export interface ProxyQuerySources {
  readonly cluster: string
  readonly name: (what: string) => string
  readonly kubeServices: Collection<KubeService>
  readonly services: Collection<Service>
  readonly serviceOf: (read: Reader, key: string) => KubeServicePair | undefined
  /** the same under its host of the cluster set, if this cluster imports it */
  readonly importOf: (read: Reader, key: string) => KubeServicePair | undefined
  readonly sliceEndpoints: Collection<EndpointGroup>
  readonly pods: Collection<PodFacts>
  /** undefined where machines do not count: outside the configuration cluster */
  readonly machinesByIp: Index<WorkloadInstance> | undefined
}

/** What this cluster knows of the workload behind a proxy (S-20, S-51). */
export const makeProxyQueries = (
  graph: Graph,
  {
    cluster,
    importOf,
    kubeServices,
    machinesByIp,
    name,
    pods,
    serviceOf,
    services,
    sliceEndpoints
  }: ProxyQuerySources
): ProxyQueries => {
  const onDemand = { onDemand: true }
  const servicesByNamespace = graph.index(
    name("Services by namespace"),
    kubeServices,
    (service) => [service.meta.namespace],
    onDemand
  )
  const groupsByNamespace = graph.index(
    name("slice endpoints by namespace"),
    sliceEndpoints,
    (group) => [group.namespace],
    onDemand
  )
  const ownPairsOf = (read: Reader, namespace: string): ReadonlyArray<KubeServicePair> =>
    read.lookup(servicesByNamespace, namespace).flatMap(([key]) => serviceOf(read, key) ?? [])
  /** Each with its host of the cluster set behind it. */
  const pairsOf = (read: Reader, namespace: string): ReadonlyArray<KubeServicePair> =>
    read
      .lookup(servicesByNamespace, namespace)
      .flatMap(([key]) => [serviceOf(read, key) ?? [], importOf(read, key) ?? []].flat())
  const podOf = (read: Reader, proxy: Proxy): PodFacts | undefined =>
    proxy.namespace === "" ? undefined : read.get(pods, objectKey(proxy))
  const machinesAt = (read: Reader, ip: string): ReadonlyArray<WorkloadInstance> =>
    machinesByIp === undefined
      ? []
      : read
          .lookup(machinesByIp, ip)
          .map(([, workload]) => workload)
          .filter(({ addressKind, kind }) => kind === "WorkloadEntry" && addressKind === "ip")

  const targets = (read: Reader, proxy: Proxy): ReadonlyArray<ServiceTarget> => {
    const [ip] = proxy.ips
    if (ip === undefined) return []
    const machine = machineOfProxy(proxy, machinesAt(read, ip))
    // Istio tells a machine of its Services' own hosts alone.
    if (machine !== undefined) return targetsOfMachine(ownPairsOf(read, machine.namespace), machine)
    const pod = podOf(read, proxy)
    if (pod === undefined) return targetsOfMetadata(pairsOf(read, proxy.namespace), proxy)
    const pairs = pairsOf(read, pod.namespace)
    if (isSelected(pairs, pod.labels)) return targetsOfPod(pairs, pod)
    const groups = read.lookup(groupsByNamespace, pod.namespace).map(([, group]) => group)
    const byHostname = new Map(pairs.map(({ service }) => [service.hostname, service]))
    return targetsOfSlices(groups, ({ hostname }) => byHostname.get(hostname), pod, proxy)
  }

  return {
    targets,
    workloadLabels: (read, proxy) => {
      const pod = podOf(read, proxy)
      if (pod === undefined) return undefined
      const { locality, network } = pod.facts
      // The node is what the proxy says of itself: istiod does not fill it in from the pod.
      return augmentLabels(pod.labels, { cluster, locality, network, node: proxy.node })
    },
    reads: [
      kubeServices,
      services,
      servicesByNamespace,
      groupsByNamespace,
      pods,
      ...(machinesByIp === undefined ? [] : [machinesByIp])
    ]
  }
}
