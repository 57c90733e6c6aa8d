/** The manifests of simulated meshes: the fields that discovery reads. */
import type { Manifest } from "../history.ts"

/** An object before it has a version. */
export interface Draft {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

export type Metadata = Draft["metadata"]

/** A pod as the generator thinks of it. */
export interface PodState {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly creationTimestamp: string
  readonly labels: Readonly<Record<string, string>>
  readonly ip: string
  readonly node: string
  readonly serviceAccount: string
  readonly phase: string
  readonly ready: boolean
  readonly deleting: boolean
}

export const podManifest = (state: PodState): Draft => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: state.name,
    namespace: state.namespace,
    uid: state.uid,
    creationTimestamp: state.creationTimestamp,
    labels: state.labels,
    ...(state.deleting && { deletionTimestamp: "2026-03-02T08:00:00Z" })
  },
  spec: {
    nodeName: state.node,
    serviceAccountName: state.serviceAccount,
    containers: [{ name: "app", ports: [{ name: "web", containerPort: 8080 }] }]
  },
  status: {
    phase: state.phase,
    podIP: state.ip,
    podIPs: [{ ip: state.ip }],
    conditions: [{ type: "Ready", status: state.ready ? "True" : "False" }]
  }
})

export const slice = (
  metadata: Metadata,
  ports: ReadonlyArray<object>,
  endpoints: ReadonlyArray<object>
): Draft => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata,
  addressType: "IPv4",
  ports,
  endpoints
})

export const service = (metadata: Metadata, spec: object, status: object = {}): Draft => ({
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec,
  status
})

/** What exports the service of the same name, or imports it at these addresses. */
export const multiCluster = (
  kind: "ServiceExport" | "ServiceImport",
  [namespace, name]: readonly [string, string],
  spec: object = {}
): Draft => ({ apiVersion: "multicluster.x-k8s.io/v1alpha1", kind, metadata: { name, namespace }, spec })

export const node = (name: string, labels: Readonly<Record<string, string>>, address: string): Draft => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels },
  status: { addresses: [{ type: "ExternalIP", address }] }
})

export const namespace = (metadata: Metadata): Draft => ({ apiVersion: "v1", kind: "Namespace", metadata })

/** An object of Istio's networking API: ServiceEntry, DestinationRule, … */
export const networkingObject = (
  kind: string,
  metadata: Metadata,
  spec: object,
  status: object = {}
): Draft => ({
  apiVersion: "networking.istio.io/v1",
  kind,
  metadata,
  spec,
  status
})

export const peerAuthentication = (metadata: Metadata, spec: object): Draft => ({
  apiVersion: "security.istio.io/v1",
  kind: "PeerAuthentication",
  metadata,
  spec
})

/** The same object under a version. */
export const versioned = (draft: Draft, resourceVersion: string): Manifest => ({
  ...draft,
  metadata: { ...draft.metadata, resourceVersion }
})
