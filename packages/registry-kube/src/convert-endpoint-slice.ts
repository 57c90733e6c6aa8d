import {
  augmentLabels,
  type Discoverability,
  type Endpoint,
  type EndpointGroup,
  type EndpointOrigin,
  type EndpointSlice,
  type HeldBack,
  type KubeService,
  Label,
  type MeshConfigValue,
  noLabels,
  type Service,
  shardKey,
  type SliceEndpoint,
  type WorkloadFacts
} from "@istiod-lite/model"
import { isExportedToNobody } from "./convert-service.ts"
import { endpointHealth } from "./endpoint-health.ts"
import { KeptEndpoints } from "./kept-endpoints.ts"
import { type NetworkAssignment, networkOf } from "./network-of.ts"
import type { PodFacts } from "./pod-facts.ts"

/** Why a slice is not ours to read (S-13): it names no Service, mirrors another cluster's, or has no addresses. */
export type IgnoredSlice = "NoServiceName" | "MultiClusterService" | "Fqdn"

/** Why the registry passes a slice over; undefined for those that it reads. */
export const ignoredSlice = ({ addressType, meta: { labels } }: EndpointSlice): IgnoredSlice | undefined => {
  if (!labels[Label.serviceName]) return "NoServiceName"
  if (labels[Label.multiClusterServiceName] !== undefined) return "MultiClusterService"
  return addressType === "FQDN" ? "Fqdn" : undefined
}

/** The Kubernetes Service that a slice belongs to; undefined for slices that are not ours to read (S-13). */
export const serviceNameOfSlice = (slice: EndpointSlice): string | undefined =>
  ignoredSlice(slice) === undefined ? slice.meta.labels[Label.serviceName] : undefined

export interface SliceContext {
  readonly cluster: string
  readonly mesh: MeshConfigValue
  readonly networks: NetworkAssignment
  readonly service: Service
  /** the Kubernetes object behind `service` */
  readonly kubeService: KubeService
  /** who may see the endpoints */
  readonly discoverability: Discoverability
  readonly podByName: (namespace: string, name: string) => PodFacts | undefined
  /** pods that are available at an address, in key order */
  readonly podsByIp: (address: string) => ReadonlyArray<PodFacts>
}

/** Facts of an address that no pod explains. */
const factsOfAddress = (address: string, { cluster, networks }: SliceContext): WorkloadFacts => {
  const network = networkOf(networks, noLabels, address)
  return {
    addresses: [address],
    labels: { [Label.network]: "", ...augmentLabels(noLabels, { cluster, locality: "", node: "", network }) },
    serviceAccount: "",
    network,
    locality: "",
    cluster,
    tlsMode: "disabled",
    weight: 0,
    workloadName: "",
    namespace: "",
    hostname: "",
    subdomain: "",
    node: ""
  }
}

const originOf = ({ meta: { creationTime, name, namespace } }: EndpointSlice): EndpointOrigin => ({
  kind: "Address",
  name,
  namespace,
  creationTime
})

type PodOf =
  | { readonly tag: "none" }
  | { readonly tag: "found"; readonly pod: PodFacts; readonly named: boolean }
  | { readonly tag: "held"; readonly held: HeldBack }

/** The pod behind an address: the one that targetRef names, else one that has the address in the same namespace (S-13, D-13). */
const podOf = (
  endpoint: SliceEndpoint,
  address: string,
  slice: EndpointSlice,
  context: SliceContext
): PodOf => {
  const ref = endpoint.targetRef
  if (ref === undefined || ref.kind !== "Pod") {
    const pod = context.podsByIp(address).find(({ namespace }) => namespace === slice.meta.namespace)
    return pod === undefined ? { tag: "none" } : { tag: "found", pod, named: false }
  }
  const namespace = ref.namespace || slice.meta.namespace
  const pod = context.podByName(namespace, ref.name)
  const held = (reason: HeldBack["reason"]): PodOf => ({
    tag: "held",
    held: { address, reason, object: `Pod ${namespace}/${ref.name}` }
  })
  if (pod === undefined) return held("PodMissing")
  if (pod.ended) return held("PodEnded")
  if (ref.uid !== "" && pod.uid !== "" && ref.uid !== pod.uid) return held("PodReplaced")
  return { tag: "found", pod, named: true }
}

/**
 * The endpoints of one slice (S-13): every address × every port, in the slice's order. What gives no endpoint is
 * in `heldBack` with its reason. Undefined if the slice's service is exported to nobody.
 *
 * Dual stack (S-16): a pod with several IPs behind a Service with several clusterIPs is one endpoint with all its
 * addresses, told by the IPv4 slice; the IPv6 one skips it.
 *
 * @param before the slice's endpoints until now, whose values those keep that have not changed
 */
export const convertEndpointSlice = (
  slice: EndpointSlice,
  context: SliceContext,
  before?: ReadonlyArray<Endpoint>
): EndpointGroup | undefined => {
  const { cluster, discoverability, kubeService, mesh, service } = context
  if (isExportedToNobody(service)) return undefined
  const kept = new KeptEndpoints(before)
  const endpoints: Array<Endpoint> = []
  const heldBack: Array<HeldBack> = []
  const sendUnhealthy = mesh.sendUnhealthyEndpoints || service.trafficDistribution !== "Any"
  const dualStackService = mesh.dualStack && kubeService.clusterIPs.length > 1
  for (const told of slice.endpoints) {
    const health = endpointHealth(told, service)
    for (const address of told.addresses) {
      const found = podOf(told, address, slice, context)
      if (found.tag === "held") {
        heldBack.push(found.held)
        continue
      }
      const pod = found.tag === "found" ? found.pod : undefined
      const isDualStack = dualStackService && found.tag === "found" && found.named && found.pod.ips.length > 1
      if (isDualStack && slice.addressType === "IPv6") continue
      const facts: WorkloadFacts =
        pod === undefined
          ? factsOfAddress(address, context)
          : isDualStack
            ? pod.facts
            : pod.ips.length === 1 && pod.ips[0] === address
              ? pod.facts
              : { ...pod.facts, addresses: [address] }
      const origin: EndpointOrigin = pod === undefined ? originOf(slice) : pod.origin
      for (const port of slice.ports) {
        // Field by field: a copy of the facts that grows by the rest takes a third more memory.
        const endpoint: Endpoint = {
          addresses: facts.addresses,
          labels: facts.labels,
          serviceAccount: facts.serviceAccount,
          network: facts.network,
          locality: facts.locality,
          cluster: facts.cluster,
          tlsMode: facts.tlsMode,
          weight: facts.weight,
          workloadName: facts.workloadName,
          namespace: facts.namespace,
          hostname: facts.hostname,
          subdomain: facts.subdomain,
          node: facts.node,
          port: port.port,
          servicePortName: port.name,
          legacyClusterPortKey: 0,
          health,
          sendUnhealthy,
          discoverability,
          origin
        }
        endpoints.push(kept.keep(endpoint))
      }
    }
  }
  return {
    hostname: service.hostname,
    namespace: service.namespace,
    shard: shardKey("Kubernetes", cluster),
    endpoints,
    slice: {
      resourceVersion: slice.meta.resourceVersion,
      creationTime: slice.meta.creationTime,
      name: slice.meta.name
    },
    ...(heldBack.length > 0 ? { heldBack } : {})
  }
}
