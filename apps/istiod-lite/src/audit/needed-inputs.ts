import {
  clusterSetHostname,
  type ClusterObjects,
  type EndpointSlice,
  kubeHostname,
  type KubeService,
  Label,
  meshKey,
  type MeshConfigValue,
  type Node,
  objectKey,
  type ObjectSource,
  type Pod,
  type Proxy,
  selects,
  type ServiceEntry
} from "@istiod-lite/model"
import {
  type InputChanges,
  type Inputs,
  type ObjectChange,
  objectsOf,
  type SomeObjects,
  typedObject
} from "../compose/inputs.ts"

/** Whose assignments are to be rebuilt, and for whom. */
export interface Sample {
  readonly hosts: ReadonlySet<string>
  readonly proxies: ReadonlyArray<Pick<Proxy, "name" | "namespace">>
}

/**
 * The inputs that the endpoints of some hosts are made of, for some proxies: settings and policies whole, of
 * services, slices, pods, nodes and workload entries only what belongs to these hosts, leads into a network, or is a
 * proxy itself. Mostly look-ups by name, so that it costs little in a large mesh.
 */
export const neededInputs = (inputs: Inputs, { hosts, proxies }: Sample): InputChanges => {
  const { gatewayAddresses, mesh, source, statuses } = inputs
  const settings = mesh.get(meshKey)
  const entries = [...source.config.ServiceEntry.values()].filter((entry) =>
    entry.hosts.some((host) => hosts.has(host.toLowerCase()) || hosts.has(host))
  )
  const clusters = [...source.clusters.values()]
  const services = clusters.map((cluster) => neededServices(cluster, hosts, settings))
  const selecting = new Set(
    [...services.flat(), ...entries].flatMap(({ meta }) => meta.namespace).concat(proxies.map(namespaceOf))
  )
  return {
    clusters: [...source.clusters.keys()].map((id) => [id, true]),
    objects: [
      ...clusters.flatMap((cluster, i) =>
        clusterObjects(cluster, services[i] ?? [], { entries, proxies, settings })
      ),
      ...configObjects(source, entries, selecting)
    ],
    mesh: settings,
    statuses: [...(statuses?.entries() ?? [])],
    gatewayAddresses: [...(gatewayAddresses?.entries() ?? [])]
  }
}

const namespaceOf = ({ namespace }: Pick<Proxy, "namespace">): string => namespace

interface Needs {
  readonly entries: ReadonlyArray<ServiceEntry>
  readonly proxies: Sample["proxies"]
  readonly settings: MeshConfigValue | undefined
}

const neededServices = (
  { objects }: ClusterObjects,
  hosts: ReadonlySet<string>,
  settings: MeshConfigValue | undefined
): ReadonlyArray<KubeService> => {
  const gateways = gatewayHosts(settings)
  return [...objects.Service.values()].filter(({ meta }) => {
    const host = kubeHostname(meta.name, meta.namespace, settings?.domainSuffix ?? "")
    const inClusterSet = clusterSetHostname(meta.name, meta.namespace)
    return hosts.has(host) || hosts.has(inClusterSet) || gateways.has(host) || Label.network in meta.labels
  })
}

/** Services that the mesh networks name as entrances. */
const gatewayHosts = (settings: MeshConfigValue | undefined): ReadonlySet<string> =>
  new Set(
    Object.values(settings?.networks ?? {}).flatMap(({ gateways }) =>
      gateways.flatMap((gateway) => ("registryServiceName" in gateway ? [gateway.registryServiceName] : []))
    )
  )

const clusterObjects = (
  { cluster, objects }: ClusterObjects,
  services: ReadonlyArray<KubeService>,
  needs: Needs
): ReadonlyArray<ObjectChange> => {
  const keys = new Set(services.map(({ meta }) => objectKey(meta)))
  const slices = [...objects.EndpointSlice.values()].filter(({ meta }) =>
    keys.has(objectKey({ namespace: meta.namespace, name: meta.labels[Label.serviceName] ?? "" }))
  )
  const pods = neededPods(objects.Pod, slices, needs)
  // The nodes of an entrance by node port are all those that its selector means.
  const leadsIn =
    services.some(({ meta }) => Label.network in meta.labels) || gatewayHosts(needs.settings).size > 0
  const nodes = leadsIn ? [...objects.Node.values()] : nodesOf(objects.Node, pods)
  const put = (typed: ReturnType<typeof typedObject>): ObjectChange => ({ cluster, change: "put", typed })
  return [
    ...objectsOf(cluster, {
      Namespace: objects.Namespace,
      ServiceExport: objects.ServiceExport,
      ServiceImport: objects.ServiceImport
    }),
    ...nodes.map((node) => put(typedObject("Node", node))),
    ...pods.map((pod) => put(typedObject("Pod", pod))),
    ...services.map((service) => put(typedObject("Service", service))),
    ...slices.map((slice) => put(typedObject("EndpointSlice", slice)))
  ]
}

type Pods = ClusterObjects["objects"]["Pod"]

/** Pods that the slices name or have the address of, that the entries select, and those of the proxies. */
const neededPods = (
  all: Pods,
  slices: ReadonlyArray<EndpointSlice>,
  { entries, proxies }: Needs
): ReadonlyArray<Pod> => {
  const found = new Map<string, Pod>()
  const addByName = (key: string): void => {
    const pod = all.get(key)
    if (pod !== undefined) found.set(key, pod)
  }
  const addresses = new Set<string>()
  for (const { endpoints, meta } of slices)
    for (const { addresses: own, targetRef } of endpoints) {
      if (targetRef?.kind === "Pod")
        addByName(objectKey({ namespace: targetRef.namespace || meta.namespace, name: targetRef.name }))
      else for (const address of own) addresses.add(`${meta.namespace}|${address}`)
    }
  for (const proxy of proxies) addByName(objectKey(proxy))
  const selectors = entries.flatMap(({ meta, workloadSelector }) =>
    workloadSelector === undefined ? [] : [{ namespace: meta.namespace, labels: workloadSelector }]
  )
  if (addresses.size + selectors.length > 0)
    for (const [key, pod] of all.entries()) {
      const { labels, namespace } = pod.meta
      const isNeeded =
        pod.ips.some((ip) => addresses.has(`${namespace}|${ip}`)) ||
        selectors.some((selector) => selector.namespace === namespace && selects(selector.labels, labels))
      if (isNeeded) found.set(key, pod)
    }
  return [...found.values()]
}

const nodesOf = (all: ClusterObjects["objects"]["Node"], pods: ReadonlyArray<Pod>): ReadonlyArray<Node> =>
  [...new Set(pods.map(({ node }) => node))].flatMap((name) => all.get(`/${name}`) ?? [])

/** Istio's objects: policies whole; of entries the needed ones, and machines of the namespaces that may select them. */
const configObjects = (
  { config, configCluster }: ObjectSource["Service"],
  entries: ReadonlyArray<ServiceEntry>,
  namespaces: ReadonlySet<string>
): ReadonlyArray<ObjectChange> => {
  const { ServiceEntry: _, WorkloadEntry: machines, ...policies } = config
  const put = (typed: ReturnType<typeof typedObject>): ObjectChange => ({
    cluster: configCluster,
    change: "put",
    typed
  })
  return [
    ...objectsOf(configCluster, policies satisfies SomeObjects),
    ...entries.map((entry) => put(typedObject("ServiceEntry", entry))),
    ...[...machines.values()]
      .filter(({ meta }) => namespaces.has(meta.namespace))
      .map((machine) => put(typedObject("WorkloadEntry", machine)))
  ]
}
