import { isIp } from "./addresses.ts"
import { noLabels, type Labels } from "./labels.ts"
import { type Locality, noLocality } from "./locality.ts"

/** What the program at the other end of a stream is. */
export type ProxyType = "sidecar" | "router" | "grpc" | "plain"

/** A client of the control plane, as its node identity describes it. */
export interface Proxy {
  /** the node id as sent */
  readonly id: string
  /** the workload's name: a pod's or WorkloadEntry's; the whole id of a plain client */
  readonly name: string
  readonly namespace: string
  readonly type: ProxyType
  readonly ips: ReadonlyArray<string>
  /** its own static labels (LABELS, over what metadata.labels says) */
  readonly labels: Labels
  readonly cluster: string
  readonly network: string
  /** what the stream says; a pod's or label's locality takes precedence (S-51) */
  readonly locality: Locality
  readonly node: string
  readonly serviceAccount: string
  /** networks it wants endpoints of; undefined = all (REQUESTED_NETWORK_VIEW) */
  readonly networkView: ReadonlySet<string> | undefined
  readonly dnsCapture: boolean
  readonly dnsAutoAllocate: boolean
  readonly workloadName: string
  readonly istioVersion: string
  /** raw node metadata */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The parts of an xDS node (envoy.config.core.v3.Node) that identify a proxy. */
export interface NodeIdentity {
  readonly id: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly locality?:
    | { readonly region?: string; readonly zone?: string; readonly subZone?: string }
    | undefined
}

const text = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : ""

/** Istio's agents write booleans as text. */
const flag = (value: unknown): boolean => ["true", "t", "1"].includes(text(value).toLowerCase())

const labelsOf = (value: unknown): Labels => {
  if (typeof value !== "object" || value === null) return noLabels
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, v]) => (typeof v === "string" ? [[name, v]] : []))
  )
}

const list = (value: unknown): ReadonlyArray<string> =>
  text(value)
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** `<type>~<ip>~<name>.<namespace>~<domain>`, as Istio's agents form a node id; undefined for any other text. */
const parseId = (
  id: string
):
  | { readonly type: string; readonly ip: string; readonly name: string; readonly domain: string }
  | undefined => {
  const parts = id.split("~")
  const [type, ip, name, domain] = parts
  if (parts.length !== 4 || !type || ip === undefined || !name || domain === undefined) return undefined
  return { type, ip, name, domain }
}

/** `<name>.<namespace>`, the third part of a node id; a machine's name is its host's, which has dots of its own. */
const splitName = (text: string): { readonly name: string; readonly namespace: string } => {
  const dot = text.lastIndexOf(".")
  return dot < 0
    ? { name: text, namespace: "" }
    : { name: text.slice(0, dot), namespace: text.slice(dot + 1) }
}

/** The namespace in `<namespace>.svc.<suffix>`, the last part of a node id; a domain without dots names none. */
const namespaceOfDomain = (domain: string): string => domain.slice(0, Math.max(0, domain.indexOf(".")))

/** All addresses of the instance; the one of the node id stands in for a list that is missing or faulty. */
const addressesOf = (listed: ReadonlyArray<string>, idAddress: string): ReadonlyArray<string> => {
  if (listed.length > 0 && listed.every(isIp)) return [...new Set(listed)]
  return isIp(idAddress) ? [idAddress] : []
}

/**
 * Reads a proxy from its node (S-84: any id is accepted). Istio's sidecars and agents are recognised by the
 * form of their id; of a plain client all that is known is what its metadata says, if it says anything.
 *
 * Sources: istio pilot/pkg/model/context.go (node id, NodeMetadata); envoy core.v3.Node.
 */
export const parseProxy = (node: NodeIdentity): Proxy => {
  const { metadata } = node
  const id = parseId(node.id)
  const { name, namespace } = id === undefined ? { name: node.id, namespace: "" } : splitName(id.name)
  const labels = { ...labelsOf(metadata.STATIC_LABELS), ...labelsOf(metadata.LABELS) }
  const { locality } = node
  return {
    id: node.id,
    name,
    namespace: text(metadata.NAMESPACE) || namespaceOfDomain(id?.domain ?? "") || namespace,
    type: proxyType(id?.type, text(metadata.GENERATOR)),
    ips: addressesOf(list(metadata.INSTANCE_IPS), id?.ip ?? ""),
    labels,
    cluster: text(metadata.CLUSTER_ID),
    network: text(metadata.NETWORK),
    locality:
      locality === undefined || !(locality.region || locality.zone || locality.subZone)
        ? noLocality
        : { region: locality.region ?? "", zone: locality.zone ?? "", subzone: locality.subZone ?? "" },
    node: text(metadata.NODE_NAME),
    serviceAccount: text(metadata.SERVICE_ACCOUNT),
    networkView: networkView(metadata.REQUESTED_NETWORK_VIEW),
    dnsCapture: flag(metadata.DNS_CAPTURE),
    dnsAutoAllocate: flag(metadata.DNS_AUTO_ALLOCATE),
    workloadName: text(metadata.WORKLOAD_NAME),
    istioVersion: text(metadata.ISTIO_VERSION),
    metadata
  }
}

const networkView = (value: unknown): ReadonlySet<string> | undefined => {
  const networks = list(value)
  return networks.length === 0 ? undefined : new Set(networks)
}

const proxyType = (idType: string | undefined, generator: string): ProxyType => {
  if (generator === "grpc") return "grpc"
  if (idType === "router") return "router"
  return idType === "sidecar" ? "sidecar" : "plain"
}

/** The IP families that a proxy speaks, from its addresses; without any, IPv4 (S-48). */
export type IpMode = "IPv4" | "IPv6" | "Dual"

/** Which IP families a proxy with these addresses speaks. */
export const ipModeOf = (ips: ReadonlyArray<string>): IpMode => {
  const v6 = ips.some((ip) => ip.includes(":"))
  const v4 = ips.some((ip) => !ip.includes(":"))
  return v4 && v6 ? "Dual" : v6 ? "IPv6" : "IPv4"
}
