import {
  decodeObject,
  type Decoded,
  type EndpointSlice,
  identifyObject,
  type Kind,
  type ObjectFault,
  type ObjectIdentity,
  objectKey,
  type TypedObject
} from "@istiod-lite/model"
import type { KubeError } from "./kube-error.ts"
import { apiVersionOf, type KubeResource } from "./kube-resource.ts"
import type { ReflectorSink } from "./reflector.ts"
import { dropUnreadAnnotations } from "./unread-annotations.ts"
import type { RawListed, WatchEvent } from "./watch-event.ts"

/** A change of one object, with its version where versions are compared. */
export type ObjectWrite =
  | { readonly write: "put"; readonly typed: TypedObject; readonly version: string }
  | { readonly write: "delete"; readonly identity: ObjectIdentity }

/** All objects of a kind, as a list found them. */
export interface Listed {
  readonly objects: ReadonlyArray<{ readonly typed: TypedObject; readonly version: string }>
  /** keys of objects that are there and cannot be used: what they were before still counts */
  readonly unusable: ReadonlySet<string>
}

/** Where the objects of a kind go. */
export interface KindTarget {
  /** The EndpointSlice of a key as it is until now: what stays of it need not be made again. */
  readonly slice: (key: string) => EndpointSlice | undefined
  /** A list has begun: what was read before may be out of date. */
  readonly listing: (kind: Kind) => void
  readonly listed: (kind: Kind, listed: Listed) => void
  readonly changed: (kind: Kind, writes: ReadonlyArray<ObjectWrite>) => void
  readonly faulty: (faults: ReadonlyArray<ObjectFault>) => void
  readonly failed: (kind: Kind, error: KubeError, failures: number) => void
  readonly healthy: (kind: Kind) => void
}

/** Makes typed objects of what a reflector tells of one kind. */
export class KindFeed implements ReflectorSink {
  readonly #resource: KubeResource
  readonly #apiVersion: string
  readonly #target: KindTarget
  #objects: Array<{ readonly typed: TypedObject; readonly version: string }> = []
  #unusable = new Set<string>()
  /** what was told of objects that cannot be used, by key, so that it is told once */
  readonly #told = new Map<string, string>()

  constructor(resource: KubeResource, target: KindTarget) {
    this.#resource = resource
    this.#apiVersion = apiVersionOf(resource)
    this.#target = target
  }

  restarted(): void {
    this.#objects = []
    this.#unusable = new Set()
    this.#target.listing(this.#resource.kind)
  }

  page(objects: ReadonlyArray<RawListed>): void {
    for (const raw of objects) {
      const decoded = this.#decode(raw)
      if (decoded.outcome === "object") {
        this.#objects.push({ typed: decoded, version: versionOf(raw) })
      } else {
        const identity = identifyObject(raw)
        if (identity !== undefined) this.#unusable.add(objectKey(identity))
      }
    }
  }

  listed(): void {
    const listed = { objects: this.#objects, unusable: this.#unusable }
    this.#objects = []
    this.#unusable = new Set()
    for (const key of this.#told.keys()) if (!listed.unusable.has(key)) this.#told.delete(key)
    this.#target.listed(this.#resource.kind, listed)
  }

  changed(events: ReadonlyArray<WatchEvent>): void {
    const writes = events.flatMap(({ object, type }): ReadonlyArray<ObjectWrite> => {
      if (type === "DELETED") {
        const identity = identifyObject(this.#named(object))
        if (identity === undefined) return []
        this.#told.delete(objectKey(identity))
        return [{ write: "delete", identity }]
      }
      const decoded = this.#decode(object)
      // An object that cannot be used any more stays as it was, as with files.
      return decoded.outcome === "object"
        ? [{ write: "put", typed: decoded, version: versionOf(object) }]
        : []
    })
    if (writes.length > 0) this.#target.changed(this.#resource.kind, writes)
  }

  failed(error: KubeError, failures: number): void {
    this.#target.failed(this.#resource.kind, error, failures)
  }

  healthy(): void {
    this.#target.healthy(this.#resource.kind)
  }

  #decode(raw: RawListed): Decoded {
    dropUnreadAnnotations(this.#resource.kind, raw)
    const key = `${raw.metadata?.namespace ?? ""}/${raw.metadata?.name ?? ""}`
    const slice = this.#resource.kind === "EndpointSlice" ? this.#target.slice(key) : undefined
    const decoded = decodeObject(this.#named(raw), { isChecked: true, slice })
    const text = decoded.faults.map(({ path, reason }) => `${path} ${reason}`).join("; ")
    if (text === "") this.#told.delete(key)
    else if (this.#told.get(key) !== text) {
      this.#told.set(key, text)
      this.#target.faulty(decoded.faults)
    }
    return decoded
  }

  /** Items of a list leave out what the list says of all of them. */
  #named(raw: RawListed): RawListed {
    raw.apiVersion ??= this.#apiVersion
    raw.kind ??= this.#resource.kind
    return raw
  }
}

/**
 * Versions of Kubernetes objects are numbers of growing length; padded, text order is number order (S-15). They are
 * kept of slices alone, which are told apart by them.
 */
const versionOf = ({ kind, metadata }: RawListed): string =>
  kind === "EndpointSlice" ? (metadata?.resourceVersion ?? "").padStart(20, "0") : ""
