import {
  type KubeService,
  Annotation,
  Label,
  type Labels,
  type MeshNetworks,
  type NetworkGateway,
  type Node,
  selects,
  type Service
} from "@istiod-lite/model"

/** The port of a network gateway's service unless its label names another (S-44). */
const defaultGatewayPort = 15443

/** Networks that a service is the entrance of, with the service port to use: its label decides, else the mesh networks settings. */
const gatewayPorts = (
  service: Service,
  networks: MeshNetworks,
  cluster: string
): ReadonlyArray<{ readonly network: string; readonly port: number }> => {
  const network = service.labels[Label.network]
  if (network) {
    const named = service.labels[Label.gatewayPort] ?? ""
    const port = /^\d+$/.test(named) ? Number(named) : defaultGatewayPort
    return service.ports.some(({ number }) => number === port) ? [{ network, port }] : []
  }
  return Object.entries(networks).flatMap(([network, { endpoints, gateways }]) =>
    endpoints.some((entry) => "fromRegistry" in entry && entry.fromRegistry === cluster)
      ? gateways.flatMap((gateway) =>
          "registryServiceName" in gateway && gateway.registryServiceName === service.hostname
            ? [{ network, port: gateway.port }]
            : []
        )
      : []
  )
}

/** The labels of the node-selector annotation; undefined without one, no labels if it is not JSON of strings. */
const nodeSelectorOf = (service: KubeService): Labels | undefined => {
  const text = service.meta.annotations[Annotation.nodeSelector]
  if (text === undefined || service.type !== "NodePort") return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== "object" || parsed === null) return {}
    return Object.fromEntries(
      Object.entries(parsed).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
    )
  } catch {
    return {}
  }
}

/** The external address of each node that a NodePort gateway selects (S-11), in the order of `nodes`. */
const nodeAddresses = (selector: Labels, nodes: () => ReadonlyArray<Node>): ReadonlyArray<string> =>
  nodes()
    .filter((node) => selects(selector, node.meta.labels))
    .flatMap(
      ({ addresses }) => addresses.find(({ address, type }) => type === "ExternalIP" && address !== "") ?? []
    )
    .map(({ address }) => address)

/** The network gateways that a service provides, at its nodes' addresses if it selects some, else its external ones (S-44). `nodes` is read only if needed. */
export const networkGatewaysOf = (
  service: Service,
  kubeService: KubeService,
  context: {
    readonly cluster: string
    readonly networks: MeshNetworks
    readonly nodes: () => ReadonlyArray<Node>
  }
): ReadonlyArray<NetworkGateway> => {
  const { cluster, networks, nodes } = context
  const ports = gatewayPorts(service, networks, cluster)
  if (ports.length === 0) return []
  const selector = nodeSelectorOf(kubeService)
  const addresses =
    selector === undefined ? (service.kube?.externalAddresses[cluster] ?? []) : nodeAddresses(selector, nodes)
  const nodePorts = service.kube?.externalPorts[cluster] ?? {}
  return addresses.flatMap((address) =>
    ports.map(({ network, port }) => ({ network, cluster, address, port: nodePorts[port] ?? port }))
  )
}
