import { groupOfKind, isClusterWide, isKind, type Kind, kinds, type Objects } from "../objects/kinds.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { similarName } from "../similar-name.ts"
import { decodeDestinationRule } from "./destination-rule.ts"
import { decodeEndpointSlice } from "./endpoint-slice.ts"
import { type ObjectFault, showValue } from "./fault.ts"
import { type FaultSink, Fields } from "./fields.ts"
import { decodeGateway } from "./gateway.ts"
import { decodeKubeService } from "./kube-service.ts"
import { type DecodeContext, decodeMeta } from "./object-meta.ts"
import { decodePeerAuthentication } from "./peer-authentication.ts"
import { decodeNode, decodePod } from "./pod.ts"
import { decodeServiceEntry } from "./service-entry.ts"
import { decodeServiceImport } from "./service-import.ts"
import { decodeSidecar } from "./sidecar.ts"
import { decodeVirtualService } from "./virtual-service.ts"
import { decodeWorkloadEntry, decodeWorkloadGroup } from "./workload-spec.ts"

/** An object with its kind: the kind tells the object's type. */
export type TypedObject = { readonly [K in Kind]: { readonly kind: K; readonly object: Objects[K] } }[Kind]

/**
 * What became of an object that somebody wrote. `object`: it can be used, `faults` are warnings at most. `ignored`:
 * its kind means nothing to discovery; the only fault is of severity info, or a warning if another kind was probably meant. `rejected`: at least one fault is an error.
 */
export type Decoded =
  | (TypedObject & { readonly outcome: "object"; readonly faults: ReadonlyArray<ObjectFault> })
  | { readonly outcome: "ignored"; readonly faults: ReadonlyArray<ObjectFault> }
  | {
      readonly outcome: "rejected"
      readonly identity: ObjectIdentity | undefined
      readonly faults: ReadonlyArray<ObjectFault>
    }

/** Names an object in its cluster. */
export interface ObjectIdentity {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
}

const typed =
  <K extends Kind>(kind: K, decode: (root: Fields, meta: ObjectMeta, context: DecodeContext) => Objects[K]) =>
  (
    root: Fields,
    meta: ObjectMeta,
    context: DecodeContext
  ): { readonly kind: K; readonly object: Objects[K] } => ({ kind, object: decode(root, meta, context) })

const decoders: {
  readonly [K in Kind]: (root: Fields, meta: ObjectMeta, context: DecodeContext) => TypedObject & { kind: K }
} = {
  Namespace: typed("Namespace", (_, meta) => ({ meta })),
  Node: typed("Node", decodeNode),
  Pod: typed("Pod", decodePod),
  Service: typed("Service", decodeKubeService),
  EndpointSlice: typed("EndpointSlice", (root, meta, { slice }) => decodeEndpointSlice(root, meta, slice)),
  ServiceExport: typed("ServiceExport", (_, meta) => ({ meta })),
  ServiceImport: typed("ServiceImport", decodeServiceImport),
  ServiceEntry: typed("ServiceEntry", decodeServiceEntry),
  WorkloadEntry: typed("WorkloadEntry", decodeWorkloadEntry),
  WorkloadGroup: typed("WorkloadGroup", decodeWorkloadGroup),
  DestinationRule: typed("DestinationRule", decodeDestinationRule),
  VirtualService: typed("VirtualService", decodeVirtualService),
  Sidecar: typed("Sidecar", decodeSidecar),
  PeerAuthentication: typed("PeerAuthentication", decodePeerAuthentication),
  Gateway: typed("Gateway", decodeGateway)
}

const versionsOfGroup: Readonly<Record<string, ReadonlyArray<string>>> = {
  "": ["v1"],
  "discovery.k8s.io": ["v1"],
  "multicluster.x-k8s.io": ["v1alpha1"],
  "networking.istio.io": ["v1", "v1beta1", "v1alpha3"],
  "security.istio.io": ["v1", "v1beta1"]
}

/**
 * Reads a Kubernetes or Istio object as a manifest or an API server gives it, checks what discovery uses of it, and
 * fills in the defaults of the API. Never throws, whatever `raw` is.
 *
 * Sources: the Kubernetes API reference; istio.io/api and istio pkg/config/validation.
 */
export const decodeObject = (raw: unknown, context: DecodeContext = {}): Decoded => {
  const faults: Array<ObjectFault> = []
  const sink: FaultSink = {
    get object() {
      return nameOf(raw)
    },
    faults,
    remembersFields: context.isChecked !== true
  }
  const root = Fields.root(raw, sink)
  if (faults.length > 0) return { outcome: "rejected", identity: undefined, faults }
  const apiVersion = root.requiredText("apiVersion", "name the API, such as v1 or networking.istio.io/v1")
  const kind = root.requiredText("kind", "name the kind, such as Service")
  if (faults.length > 0) return { outcome: "rejected", identity: undefined, faults }
  const [group, version] = splitApiVersion(apiVersion)
  if (!isKind(kind) || groupOfKind[kind] !== group) {
    return { outcome: "ignored", faults: [unusedKind(nameOf(raw), apiVersion, kind)] }
  }
  const versions = versionsOfGroup[group] ?? []
  if (!versions.includes(version)) {
    root.fail("apiVersion", "this version is not known", `use version ${versions.join(", ")}`)
  }
  const meta = decodeMeta(root, isClusterWide(kind), context)
  const decoded = decoders[kind](root, meta, context)
  root.warnOfTypos()
  if (!faults.some((fault) => fault.severity === "error")) return { outcome: "object", ...decoded, faults }
  const identity = meta.name === "" ? undefined : { kind, namespace: meta.namespace, name: meta.name }
  return { outcome: "rejected", identity, faults }
}

/** `networking.istio.io/v1` is a group and its version, `v1` a version of the core group. */
const splitApiVersion = (apiVersion: string): readonly [group: string, version: string] => {
  const slash = apiVersion.indexOf("/")
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
}

/** Which object `raw` is, looking at nothing but its kind and name; undefined if discovery does not use such objects. */
export const identifyObject = (raw: unknown): ObjectIdentity | undefined => {
  const root = Fields.root(raw, { object: "", faults: [], remembersFields: false })
  const kind = root.text("kind")
  const meta = root.at("metadata")
  const name = meta.text("name")
  const [group] = splitApiVersion(root.text("apiVersion"))
  if (name === "" || !isKind(kind) || groupOfKind[kind] !== group) return undefined
  return { kind, namespace: isClusterWide(kind) ? "" : meta.text("namespace") || "default", name }
}

const unusedKind = (object: string, apiVersion: string, kind: string): ObjectFault => {
  const [group] = splitApiVersion(apiVersion)
  const meant = meantBy(group, kind)
  return {
    object,
    path: "kind",
    reason: `discovery does not use ${kind} of ${apiVersion}`,
    received: showValue(kind),
    remedy: meant === undefined ? "" : `did you mean ${meant}?`,
    severity: meant === undefined ? "info" : "warning"
  }
}

/** What to write for a kind that is not of its API group, if a slip is likely; other APIs have kinds of the same names. */
const meantBy = (group: string, kind: string): string | undefined => {
  const versions = versionsOfGroup[group]
  if (versions === undefined) return undefined
  if (isKind(kind)) {
    const right = groupOfKind[kind]
    const version = versionsOfGroup[right]?.[0] ?? "v1"
    return `apiVersion: ${right === "" ? version : `${right}/${version}`}`
  }
  const ofGroup = kinds.filter((known) => groupOfKind[known] === group)
  const similar = similarName(kind, ofGroup, 2)
  return similar && `kind: ${similar}`
}

/** `ServiceEntry shop/payments`, as far as the object tells. */
const nameOf = (raw: unknown): string => {
  const root = Fields.root(raw, { object: "", faults: [], remembersFields: false })
  const meta = root.at("metadata")
  const kind = root.text("kind") || "object"
  const name = meta.text("name") || "without a name"
  const namespace = isKind(kind) && isClusterWide(kind) ? "" : meta.text("namespace") || "default"
  return namespace === "" || name === "without a name" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
}
