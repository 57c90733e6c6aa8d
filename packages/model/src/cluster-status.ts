import { Context } from "effect"
import type { Kind } from "./objects/kinds.ts"

/**
 * How the objects of one kind are followed. `listing`: not read yet; `synced`: up to date; `absent`: the server has no
 * such kind (its CRD is not installed), it is looked for again; `forbidden`: no permission; `failing`: the last attempt
 * failed, what was read before counts meanwhile.
 */
export type KindState = "listing" | "synced" | "absent" | "forbidden" | "failing"

/** One kind in one cluster. */
export interface KindStatus {
  readonly kind: Kind
  readonly state: KindState
  /** what is wrong and what to do about it; undefined while nothing is */
  readonly problem: string | undefined
  /** since when it is in this state, epoch milliseconds */
  readonly since: number
}

/**
 * How a cluster is followed. `syncing`: its first complete state is awaited; `synced`: known as it is; `timeout`: its
 * first complete state took too long, the others are served without it; `stale`: it was synced, and is known only as it
 * was; `failed`: its credentials cannot be used.
 */
export type ClusterState = "syncing" | "synced" | "timeout" | "stale" | "failed"

/** One cluster, as `istiod-lite clusters` shows it. */
export interface ClusterStatus {
  readonly cluster: string
  /** the API server's URL; empty if none is known */
  readonly server: string
  readonly state: ClusterState
  /** the last error, if there is a reason to look at it */
  readonly error: string | undefined
  /** since when it is in this state, epoch milliseconds */
  readonly since: number
  /** all kinds that are followed */
  readonly kinds: ReadonlyArray<KindStatus>
}

/** How the clusters behind the objects are followed; left out where objects come from no API server. */
export class ClusterStatuses extends Context.Service<
  ClusterStatuses,
  {
    /** the configuration cluster first, the others by their ids */
    readonly all: () => ReadonlyArray<ClusterStatus>
  }
>()("@istiod-lite/model/ClusterStatuses") {}
