import {
  augmentLabels,
  type EndpointOrigin,
  equalLabels,
  type KnownProxy,
  Label,
  type Labels,
  localityOfLabels,
  type MeshConfigValue,
  type Node,
  type Pod,
  spiffeUri,
  trustDomainOf,
  type WorkloadFacts
} from "@istiod-lite/model"
import { type NetworkAssignment, networkOf } from "./network-of.ts"
import { workloadNameOf } from "./workload-name.ts"

/** What endpoints, queries and the pod's own proxy need to know of a pod, whatever else about it changes. */
export interface PodFacts extends KnownProxy {
  readonly uid: string
  /** ended pods serve nothing, even while a slice lists them (D-13) */
  readonly ended: boolean
  /** may stand for an address without a target reference, and be selected by ServiceEntries (S-13, S-18) */
  readonly available: boolean
  /** addresses: all of the pod's, to be narrowed by the reader */
  readonly facts: WorkloadFacts
  readonly origin: EndpointOrigin
}

const first = (labels: Labels, ...names: ReadonlyArray<string>): string => {
  for (const name of names) if (labels[name]) return labels[name]
  return ""
}

/** `region/zone/subzone` with empty parts kept, from the pod's label or its node's (S-17); empty if neither says. */
export const localityOfPod = (pod: Pod, node: Node | undefined): string => {
  const own = localityOfLabels(pod.meta.labels)
  if (own !== undefined) return own
  if (node === undefined) return ""
  const { labels } = node.meta
  const region = first(labels, Label.region, "failure-domain.beta.kubernetes.io/region")
  const zone = first(labels, Label.zone, "failure-domain.beta.kubernetes.io/zone")
  const subzone = first(labels, Label.subzone)
  return region === "" && zone === "" && subzone === "" ? "" : `${region}/${zone}/${subzone}`
}

/** Everything that a pod lends to its endpoints (S-17). */
export const podFactsOf = (
  pod: Pod,
  context: {
    readonly cluster: string
    readonly mesh: MeshConfigValue
    readonly node: Node | undefined
    readonly networks: NetworkAssignment
  }
): PodFacts => {
  const { cluster, mesh, networks, node } = context
  const { labels, name, namespace } = pod.meta
  const locality = localityOfPod(pod, node)
  const network = networkOf(networks, labels, pod.ips[0] ?? "")
  const ended = pod.phase === "Failed" || pod.phase === "Succeeded"
  return {
    name,
    namespace,
    uid: pod.meta.uid,
    ended,
    available: pod.ready && !pod.deleting && !ended && pod.ips.length > 0,
    ips: pod.ips,
    labels,
    network,
    locality,
    ports: pod.ports,
    origin: { kind: "Pod", name, namespace, creationTime: pod.meta.creationTime },
    facts: {
      addresses: pod.ips,
      // Kubernetes endpoints always carry the network label, an empty one if there is none (S-5).
      labels: {
        [Label.network]: "",
        ...augmentLabels(labels, { cluster, locality, node: pod.node, network })
      },
      serviceAccount: spiffeUri(trustDomainOf(mesh, cluster), namespace, pod.serviceAccount),
      network,
      locality,
      cluster,
      tlsMode: labels[Label.tlsMode] ?? "disabled",
      weight: 0,
      workloadName: workloadNameOf(pod),
      namespace,
      hostname: pod.subdomain === "" ? "" : pod.hostname || name,
      subdomain: pod.subdomain,
      node: pod.node
    }
  }
}

export const equalPodFacts = (a: PodFacts, b: PodFacts): boolean =>
  a.uid === b.uid &&
  a.ended === b.ended &&
  a.available === b.available &&
  equalLabels(a.labels, b.labels) &&
  JSON.stringify(a) === JSON.stringify(b)
