import {
  Annotation,
  augmentLabels,
  isIp,
  Label,
  type Labels,
  localityOfLabels,
  type MeshConfigValue,
  noLabels,
  spiffeUri,
  type WorkloadEntry,
  type WorkloadFacts,
  type WorkloadInstance,
  type WorkloadSpec
} from "@istiod-lite/model"

/** The prefix of an address that is a unix socket. */
export const unixPrefix = "unix://"

const addressKindOf = (address: string): WorkloadInstance["addressKind"] => {
  if (address === "") return "none"
  if (address.startsWith(unixPrefix)) return "unix"
  return isIp(address) ? "ip" : "hostname"
}

/** What a machine lends to its endpoints (S-34). Its network is what the spec says; a network label stays a label. */
const factsOf = (
  spec: WorkloadSpec,
  labels: Labels,
  owner: { readonly namespace: string; readonly workloadName: string },
  cluster: string,
  mesh: MeshConfigValue
): WorkloadFacts => {
  const locality = spec.locality || (localityOfLabels(labels) ?? "")
  return {
    addresses: [spec.address],
    labels: augmentLabels(labels, { cluster, locality, node: "", network: spec.network }),
    serviceAccount:
      spec.serviceAccount === "" ? "" : spiffeUri(mesh.trustDomain, owner.namespace, spec.serviceAccount),
    network: spec.network,
    locality,
    cluster,
    tlsMode: labels[Label.tlsMode] ?? (spec.serviceAccount === "" ? "disabled" : "istio"),
    weight: spec.weight,
    workloadName: owner.workloadName,
    namespace: owner.namespace,
    hostname: "",
    subdomain: "",
    node: ""
  }
}

/** Go's strconv.ParseBool, by which Istio reads the annotation. */
const isTrue = (text: string | undefined): boolean =>
  text !== undefined && ["1", "t", "T", "TRUE", "true", "True"].includes(text)

/** With health checks on, a machine exists only while its condition says so: absent is not healthy yet (S-34). */
export const isPresent = ({ healthy, meta: { annotations } }: WorkloadEntry): boolean =>
  healthy === true ||
  !(isTrue(annotations[Annotation.healthChecksEnabled]) || annotations[Annotation.probe] !== undefined)

/** A WorkloadEntry as a workload (S-34). Its labels are the spec's under the metadata's. */
export const convertWorkloadEntry = (
  entry: WorkloadEntry,
  cluster: string,
  mesh: MeshConfigValue
): WorkloadInstance => {
  const { annotations, creationTime, labels: own, name, namespace } = entry.meta
  const labels = { ...entry.spec.labels, ...own }
  const workloadName = annotations[Annotation.autoRegistrationGroup] || own[Label.workloadName] || name
  return {
    kind: "WorkloadEntry",
    name,
    namespace,
    cluster,
    facts: factsOf(entry.spec, labels, { namespace, workloadName }, cluster, mesh),
    health: "UNKNOWN",
    sendUnhealthy: false,
    discoverability: "",
    ports: entry.spec.ports,
    addressKind: addressKindOf(entry.spec.address),
    origin: { kind: "WorkloadEntry", name, namespace, creationTime }
  }
}

/** An inline endpoint of a ServiceEntry as a workload named `<entry>-<index>` (S-34). */
export const convertInlineEndpoint = (
  spec: WorkloadSpec,
  index: number,
  owner: { readonly namespace: string; readonly name: string; readonly creationTime: string },
  cluster: string,
  mesh: MeshConfigValue
): WorkloadInstance => {
  const { creationTime, namespace } = owner
  const name = `${owner.name}-${index}`
  return {
    kind: "WorkloadEntry",
    name,
    namespace,
    cluster,
    facts: factsOf(spec, spec.labels, { namespace, workloadName: name }, cluster, mesh),
    health: "UNKNOWN",
    sendUnhealthy: false,
    discoverability: "",
    ports: spec.ports,
    addressKind: addressKindOf(spec.address),
    origin: { kind: "Inline", name: owner.name, namespace, creationTime }
  }
}

/** The workload that stands for a DNS host without endpoints: its address is the host, it has no labels (S-32). */
export const hostAsWorkload = (
  hostname: string,
  owner: { readonly namespace: string; readonly name: string; readonly creationTime: string },
  cluster: string
): WorkloadInstance => ({
  kind: "WorkloadEntry",
  name: owner.name,
  namespace: owner.namespace,
  cluster,
  facts: {
    addresses: [hostname],
    labels: noLabels,
    serviceAccount: "",
    network: "",
    locality: "",
    cluster,
    tlsMode: "disabled",
    weight: 0,
    workloadName: owner.name,
    namespace: owner.namespace,
    hostname: "",
    subdomain: "",
    node: ""
  },
  health: "UNKNOWN",
  sendUnhealthy: false,
  discoverability: "",
  ports: {},
  addressKind: "hostname",
  origin: { kind: "Inline", name: owner.name, namespace: owner.namespace, creationTime: owner.creationTime }
})
