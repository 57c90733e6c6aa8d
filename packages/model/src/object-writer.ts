/** Writing objects back: what the few writers of a control plane may do, wherever the objects are kept. */
import { Context, Data, Effect } from "effect"

/** Which object is meant; `kind` with its API, as manifests name it. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  /** empty for what belongs to no namespace */
  readonly namespace: string
  readonly name: string
}

/** An object as an API server gives and takes it: whole, with fields that discovery does not read. */
export interface RawObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly creationTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly [field: string]: unknown
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/**
 * Why a write was not done. `conflict`: the object changed meanwhile, read it again; `exists`: it is there already;
 * `missing`: it is not there; `forbidden`: no permission; `invalid`: the API server refuses its content;
 * `unavailable`: no answer, or one that says to try again.
 */
export type WriteProblem = "conflict" | "exists" | "missing" | "forbidden" | "invalid" | "unavailable"

/** A write that was not done, or not certainly. */
export class WriteError extends Data.TaggedError("WriteError")<{
  /** what was tried: `patch WorkloadEntry shop/vm-1` */
  readonly operation: string
  readonly problem: WriteProblem
  /** what the other side said */
  readonly detail: string
}> {
  override get message(): string {
    return `Cannot ${this.operation}: ${this.detail}`
  }
}

/** What a change of one object is bound to: nothing happens if it is not so any more (problem `conflict`). */
export interface Precondition {
  readonly uid?: string
  readonly resourceVersion?: string
}

/** A part of an object that is written separately; left out: all but the status. */
export type Subresource = "status"

/**
 * Reads and writes single objects of the configuration cluster. Reads are fresh, not from a watch. Each call is one
 * attempt: who must succeed tries again.
 */
export class ObjectWriter extends Context.Service<
  ObjectWriter,
  {
    /** undefined if there is none */
    readonly get: (object: ObjectReference) => Effect.Effect<RawObject | undefined, WriteError>
    /** @param namespace undefined: all */
    readonly list: (
      kind: Pick<ObjectReference, "apiVersion" | "kind">,
      namespace?: string
    ) => Effect.Effect<ReadonlyArray<RawObject>, WriteError>
    /** A `status` that the object brings along is not kept: API servers take it only separately. */
    readonly create: (object: RawObject) => Effect.Effect<RawObject, WriteError>
    /** Puts the object, or its status, in the place of the one of the same resource version. */
    readonly replace: (object: RawObject, subresource?: Subresource) => Effect.Effect<RawObject, WriteError>
    /** A JSON merge patch (RFC 7386). */
    readonly patch: (
      object: ObjectReference,
      patch: Readonly<Record<string, unknown>>,
      options?: Precondition & { readonly subresource?: Subresource }
    ) => Effect.Effect<RawObject, WriteError>
    /** That it is gone already is a success. */
    readonly delete: (object: ObjectReference, precondition?: Precondition) => Effect.Effect<void, WriteError>
  }
>()("@istiod-lite/model/ObjectWriter") {}

/** The way to write to each cluster that is read, for the few things that are written to all of them. */
export class ClusterWriters extends Context.Service<
  ClusterWriters,
  {
    /** undefined while nothing is read of the cluster */
    readonly of: (cluster: string) => ObjectWriter["Service"] | undefined
  }
>()("@istiod-lite/model/ClusterWriters") {}

/** Which of several replicas does what only one may do. */
export class Leadership extends Context.Service<
  Leadership,
  {
    /** of this replica, such as its pod's name */
    readonly identity: string
    readonly isLeader: () => boolean
    /** the replica that leads, as last seen; undefined: none is known */
    readonly leader: () => string | undefined
    /** the replicas that are alive, as last seen, this one among them; undefined: not known (yet) */
    readonly replicas: () => ReadonlySet<string> | undefined
    /**
     * Runs the work for as long as this replica leads: it is interrupted when another one may lead, and begun anew when
     * this one leads again. Ends only by interruption.
     */
    readonly whileLeading: <R>(work: Effect.Effect<void, never, R>) => Effect.Effect<never, never, R>
  }
>()("@istiod-lite/model/Leadership") {
  /** For a control plane without replicas: it leads at once and for ever. */
  static readonly alone = (identity: string): Leadership["Service"] => ({
    identity,
    isLeader: () => true,
    leader: () => identity,
    replicas: () => new Set([identity]),
    whileLeading: (work) => Effect.andThen(work, Effect.never)
  })
}
