import type { Kind, Objects } from "../objects/kinds.ts"
import { decodeObject } from "./decode-object.ts"
import type { ObjectFault } from "./fault.ts"

const apiVersions: Readonly<Record<string, string>> = {
  EndpointSlice: "discovery.k8s.io/v1",
  ServiceExport: "multicluster.x-k8s.io/v1alpha1",
  ServiceImport: "multicluster.x-k8s.io/v1alpha1",
  PeerAuthentication: "security.istio.io/v1",
  ...Object.fromEntries(
    [
      "ServiceEntry",
      "WorkloadEntry",
      "WorkloadGroup",
      "DestinationRule",
      "VirtualService",
      "Sidecar",
      "Gateway"
    ].map((kind) => [kind, "networking.istio.io/v1"])
  )
}

/** A manifest `shop/a` of that kind. */
export const manifest = (kind: Kind, fields: object = {}, metadata: object = {}): unknown => ({
  apiVersion: apiVersions[kind] ?? "v1",
  kind,
  metadata: { name: "a", namespace: "shop", ...metadata },
  ...fields
})

const isOfKind = <K extends Kind>(decoded: object, kind: K): decoded is { readonly object: Objects[K] } =>
  "kind" in decoded && decoded.kind === kind

/** The object, which must be good. */
export const decode = <K extends Kind>(kind: K, fields: object = {}, metadata: object = {}): Objects[K] => {
  const decoded = decodeObject(manifest(kind, fields, metadata))
  if (!isOfKind(decoded, kind)) throw new Error(JSON.stringify(decoded.faults))
  return decoded.object
}

export const faultsOf = (kind: Kind, fields: object, metadata: object = {}): ReadonlyArray<ObjectFault> =>
  decodeObject(manifest(kind, fields, metadata)).faults

/** Severity and path of each fault. */
export const placesOf = (kind: Kind, fields: object, metadata: object = {}): ReadonlyArray<string> =>
  faultsOf(kind, fields, metadata).map((fault) => `${fault.severity} ${fault.path}`)
