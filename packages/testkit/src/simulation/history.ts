import type { MeshConfigValue, NodeIdentity, ObjectIdentity } from "@istiod-lite/model"

/** An object as it would stand in a manifest. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly resourceVersion: string
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** One thing that a source observes. Each names all that it needs, so that a history may lose any of them. */
export type SimulatedEvent =
  /** an object is there in this form; again, if it was there in the same */
  | { readonly action: "apply"; readonly cluster: string; readonly manifest: Manifest }
  | { readonly action: "delete"; readonly cluster: string; readonly identity: ObjectIdentity }
  /** a watch begins anew: everything that is there is told once more */
  | { readonly action: "relist"; readonly cluster: string }
  | { readonly action: "removeCluster"; readonly cluster: string }
  /** a new connection to a cluster has synced, and takes the place of the old one with what it found */
  | {
      readonly action: "replaceCluster"
      readonly cluster: string
      readonly manifests: ReadonlyArray<Manifest>
    }
  | { readonly action: "configure"; readonly mesh: Partial<MeshConfigValue> }

/** Events that arrive before the next check. */
export interface Batch {
  /** one transaction, or each event one of its own */
  readonly together: boolean
  /** whether clients are pushed after each transaction, or at the end of the batch */
  readonly eager: boolean
  /** clients, by position, that do not read during this batch */
  readonly stalled: ReadonlyArray<number>
  readonly events: ReadonlyArray<SimulatedEvent>
}

/** A client as it connects, and what it asks for. */
export interface SimulatedClient {
  readonly node: NodeIdentity
  readonly delta: boolean
  /** names that it subscribes to throughout */
  readonly names: ReadonlyArray<string>
  /** whether it subscribes to all its clusters besides, as they come and go */
  readonly follows: boolean
}

/** All that happens to one control plane. */
export interface History {
  readonly seed: number
  readonly clients: ReadonlyArray<SimulatedClient>
  readonly batches: ReadonlyArray<Batch>
}

/** The cluster whose Istio objects count, and the other one. */
export const clusters = ["Kubernetes", "remote"] as const
export const [configCluster, remoteCluster] = clusters
