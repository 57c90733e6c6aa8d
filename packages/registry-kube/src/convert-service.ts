import {
  Annotation,
  kubeHostname,
  type KubeService,
  type Labels,
  type MeshConfigValue,
  protocolOfKubePort,
  type Resolution,
  type Service,
  spiffeUri,
  trafficDistributionOf,
  trustDomainOf,
  unspecifiedAddress
} from "@istiod-lite/model"

const list = (text: string | undefined): ReadonlyArray<string> => (text ? text.split(",") : [])

const resolutionOf = (service: KubeService): Resolution =>
  service.clusterIP === "None"
    ? "passthrough"
    : service.type === "ExternalName" && service.externalName !== ""
      ? "alias"
      : "clientSideLB"

const addressesOf = (service: KubeService): readonly [string, ...ReadonlyArray<string>] => {
  if (service.clusterIP === "" || service.clusterIP === "None") return [unspecifiedAddress]
  const [first, second, ...more] = service.clusterIPs
  return first !== undefined && second !== undefined ? [first, second, ...more] : [service.clusterIP]
}

const ingressAddresses = (service: KubeService): ReadonlyArray<string> =>
  service.type === "LoadBalancer"
    ? service.loadBalancerIngress
        .map(({ hostname, ip }) => ip || hostname)
        .filter((address) => address !== "")
    : []

/** Accounts that annotations name, as they stand: unlike those of exportTo, entries are not trimmed (S-11). */
const accountsOf = (service: KubeService, trustDomain: string): ReadonlyArray<string> => [
  ...list(service.meta.annotations[Annotation.canonicalServiceAccounts]),
  ...list(service.meta.annotations[Annotation.kubernetesServiceAccounts]).map((account) =>
    spiffeUri(trustDomain, service.meta.namespace, account)
  )
]

/**
 * A Kubernetes Service as clients see it (S-10, S-11, S-12).
 *
 * Addresses are those of its own cluster; node addresses of a NodePort gateway are not among them: they reach only
 * the network gateways (S-11). Never fails: what a Service leaves out has Kubernetes' defaults already.
 */
export const convertService = (
  service: KubeService,
  context: {
    readonly cluster: string
    readonly mesh: MeshConfigValue
    readonly namespaceAnnotations: Labels
  }
): Service => {
  const { cluster, mesh, namespaceAnnotations } = context
  const { annotations, creationTime, labels, name, namespace, resourceVersion } = service.meta
  const addresses = addressesOf(service)
  const resolution = resolutionOf(service)
  const external = [...ingressAddresses(service), ...service.externalIPs]
  const hasNodeSelector = annotations[Annotation.nodeSelector] !== undefined
  return {
    hostname: kubeHostname(name, namespace, mesh.domainSuffix),
    namespace,
    name,
    objectName: "",
    provider: "Kubernetes",
    cluster,
    ports: service.ports.map((port) => ({
      name: port.name,
      number: port.port,
      protocol: protocolOfKubePort(port)
    })),
    clusterVips: { [cluster]: addresses },
    defaultAddress: addresses[0],
    autoAllocatedIpv4: "",
    autoAllocatedIpv6: "",
    resolution,
    meshExternal: service.type === "ExternalName" && service.externalName !== "",
    serviceAccounts: accountsOf(service, trustDomainOf(mesh, cluster)),
    creationTime,
    resourceVersion,
    labels,
    exportTo: list(annotations[Annotation.exportTo]).map((namespace) => namespace.trim()),
    labelSelectors: service.selector,
    trafficDistribution: trafficDistributionOf(
      service.trafficDistribution,
      annotations,
      namespaceAnnotations
    ),
    passthroughTargetPorts: {},
    kube: {
      type: service.type,
      externalName: service.type === "ExternalName" ? service.externalName : "",
      nodeLocal: service.internalTrafficPolicy === "Local",
      publishNotReadyAddresses: service.publishNotReadyAddresses,
      externalAddresses: external.length === 0 ? {} : { [cluster]: external },
      externalPorts:
        service.type === "NodePort" && hasNodeSelector
          ? { [cluster]: Object.fromEntries(service.ports.map((port) => [port.port, port.nodePort])) }
          : {},
      targetPorts: service.ports.map(({ port, targetPort }) => ({ port, targetPort }))
    }
  }
}

/** Nobody sees a service exported to `~`: it has no shard and pushes nothing (S-13, S-19). */
export const isExportedToNobody = (service: Service): boolean => service.exportTo.includes("~")
