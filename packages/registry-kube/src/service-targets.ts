import {
  compareText,
  type EndpointGroup,
  hasLabels,
  type KubeService,
  type KubeServicePort,
  type Labels,
  type Pod,
  type Proxy,
  selects,
  type Service,
  type ServicePort,
  type ServiceTarget,
  type WorkloadInstance
} from "@istiod-lite/model"
import type { PodFacts } from "./pod-facts.ts"
import { targetPortOnMachine, targetPortOnPod } from "./target-port.ts"

/** A Kubernetes Service with its converted form. */
export interface KubeServicePair {
  readonly kube: KubeService
  readonly service: Service
}

/** Services of `candidates` whose non-empty selector matches. */
const selecting = (
  candidates: ReadonlyArray<KubeServicePair>,
  labels: Labels
): ReadonlyArray<KubeServicePair> =>
  candidates.filter(({ kube }) => hasLabels(kube.selector) && selects(kube.selector, labels))

/** By name, which is unique: TCP and UDP may share a number. */
const portOf = (service: Service, { name }: KubeServicePort): ServicePort | undefined =>
  service.ports.find((port) => port.name === name)

/** Whether any service selects a workload of these labels. */
export const isSelected = (candidates: ReadonlyArray<KubeServicePair>, labels: Labels): boolean =>
  selecting(candidates, labels).length > 0

/** One target for each pair of target port and protocol, the service's first port of a pair (S-20). */
const targetsOf = (
  { kube, service }: KubeServicePair,
  targetPort: (port: KubeServicePort) => number | undefined
): ReadonlyArray<ServiceTarget> => {
  const found = new Map<string, ServiceTarget>()
  for (const kubePort of kube.ports) {
    const port = portOf(service, kubePort)
    const target = targetPort(kubePort)
    if (port === undefined || target === undefined) continue
    const key = `${target}/${port.protocol}`
    if (!found.has(key)) found.set(key, { service, port, targetPort: target })
  }
  return [...found.values()]
}

export const targetsOfPod = (
  services: ReadonlyArray<KubeServicePair>,
  pod: { readonly labels: Labels; readonly ports: Pod["ports"] }
): ReadonlyArray<ServiceTarget> =>
  selecting(services, pod.labels).flatMap((pair) =>
    targetsOf(pair, (port) => targetPortOnPod(port, pod.ports))
  )

/** The targets of a machine: every non-UDP port of the ClientSideLB services that select it, not reduced (S-20). */
export const targetsOfMachine = (
  services: ReadonlyArray<KubeServicePair>,
  machine: WorkloadInstance
): ReadonlyArray<ServiceTarget> =>
  selecting(services, machine.facts.labels)
    .filter(({ service }) => service.resolution === "clientSideLB")
    .flatMap(({ kube, service }) =>
      kube.ports.flatMap((kubePort) => {
        const port = portOf(service, kubePort)
        if (port === undefined || port.protocol === "UDP") return []
        const target = targetPortOnMachine(kubePort, machine.ports)
        return target === undefined ? [] : [{ service, port, targetPort: target }]
      })
    )

/** The targets of a proxy that no object describes yet: from the labels and ports that it reports itself (S-20). */
export const targetsOfMetadata = (
  services: ReadonlyArray<KubeServicePair>,
  proxy: Proxy
): ReadonlyArray<ServiceTarget> => {
  if (!hasLabels(proxy.labels)) return []
  const ports = podPortsOf(proxy)
  const chosen = selecting(services, proxy.labels)
  if (ports.length === 0) {
    // Most likely a machine: its ports are taken as the service names them; a name resolves to none.
    return chosen.flatMap((pair) =>
      targetsOf(pair, ({ targetPort }) => (typeof targetPort === "number" ? targetPort : 0))
    )
  }
  const complete = chosen.every(({ kube }) =>
    kube.ports.every((port) => targetPortOnPod(port, ports) !== undefined)
  )
  return complete ? chosen.flatMap((pair) => targetsOf(pair, (port) => targetPortOnPod(port, ports))) : []
}

/** POD_PORTS of the node metadata: JSON text or a list of `{name, containerPort, protocol}`. */
const podPortsOf = (proxy: Proxy): Pod["ports"] => {
  const raw = proxy.metadata["POD_PORTS"]
  const parsed = typeof raw === "string" ? parseJson(raw) : raw
  return Array.isArray(parsed) ? parsed.flatMap((entry: unknown) => podPortOf(entry) ?? []) : []
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise

const podPortOf = (entry: unknown): Pod["ports"][number] | undefined => {
  if (typeof entry !== "object" || entry === null || !("containerPort" in entry)) return undefined
  if (typeof entry.containerPort !== "number") return undefined
  return {
    name: textOr("name" in entry ? entry.name : undefined, ""),
    containerPort: entry.containerPort,
    protocol: textOr("protocol" in entry ? entry.protocol : undefined, "TCP")
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The machine that a proxy runs on, of those at its first IP: the one of its name, else one of its namespace,
 * else the first by namespace and name (S-20).
 */
export const machineOfProxy = (
  proxy: Proxy,
  atFirstIp: ReadonlyArray<WorkloadInstance>
): WorkloadInstance | undefined => {
  const sorted = atFirstIp.toSorted(
    (a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
  )
  return (
    sorted.find(({ name, namespace }) => name === proxy.name && namespace === proxy.namespace) ??
    sorted.find(({ namespace }) => namespace === proxy.namespace) ??
    sorted[0]
  )
}

/** Targets by the slices of the proxy's namespace that list its first IP: for services without a selector (S-20). */
export const targetsOfSlices = (
  groups: ReadonlyArray<EndpointGroup>,
  serviceOf: (group: EndpointGroup) => Service | undefined,
  pod: PodFacts,
  proxy: Proxy
): ReadonlyArray<ServiceTarget> => {
  const address = proxy.ips[0] ?? pod.ips[0]
  const found = new Map<string, ServiceTarget>()
  for (const group of groups) {
    const service = serviceOf(group)
    if (service === undefined) continue
    for (const endpoint of group.endpoints) {
      if (endpoint.addresses[0] !== address) continue
      const port = service.ports.find(({ name }) => name === endpoint.servicePortName)
      if (port === undefined) continue
      found.set(`${service.hostname}|${port.name}|${endpoint.port}`, {
        service,
        port,
        targetPort: endpoint.port
      })
    }
  }
  return [...found.values()]
}
