import { type ObjectIdentity, type TypedObject } from "@istiod-lite/model"
import { duplicateFault, type FileChange, type FileState, nextFileState } from "./file-state.ts"
import { compareByPlace, type ManifestFault } from "./manifest-fault.ts"
import type { ManifestObject } from "./read-document.ts"

/** A write that brings the collections up to date. */
export type ObjectWrite = { readonly cluster: string } & (
  | { readonly write: "put"; readonly typed: TypedObject; readonly resourceVersion: string }
  | { readonly write: "delete"; readonly identity: ObjectIdentity }
)

/** A good object, and where the declaration that counts is. */
export interface PlacedObject {
  readonly cluster: string
  readonly file: string
  readonly line: number
  readonly typed: TypedObject
}

/** The objects and files of one cluster. */
interface Cluster {
  readonly files: Map<string, FileState>
  /** key → the files that declare it */
  readonly claims: Map<string, Map<string, ManifestObject>>
  /** what was written last */
  readonly written: Map<string, ManifestObject>
}

/**
 * Which objects all files together declare. It plans, without I/O, how the collections follow the files:
 *
 * - an object that becomes faulty, or whose file becomes unreadable, keeps its last good state;
 * - an object that is missing from a readable file is deleted, unless another file has it now;
 * - of several files that declare one object, the first by name counts; the others get a fault;
 * - an object whose content changed gets a higher resource version, all those of one batch the same (S-15).
 */
export class Catalog {
  readonly #clusters = new Map<string, Cluster>()
  #version = 0

  /** Takes in changes of files that belong together, and gives the writes that follow. */
  apply(changes: ReadonlyArray<FileChange>): ReadonlyArray<ObjectWrite> {
    const touched = new Map<string, Set<string>>()
    for (const change of changes) {
      const keys = touched.get(change.cluster) ?? new Set()
      touched.set(change.cluster, keys)
      for (const key of this.#take(change)) keys.add(key)
    }
    const resourceVersion = String(this.#version + 1).padStart(16, "0")
    const writes = [...touched].flatMap(([cluster, keys]) =>
      [...keys].flatMap((key) => this.#settle(cluster, key, resourceVersion))
    )
    if (writes.length > 0) this.#version++
    return writes
  }

  /** Forgets a cluster and its files; writes nothing. */
  removeCluster(cluster: string): void {
    this.#clusters.delete(cluster)
  }

  /** All faults, in the order of files and lines; those of doubly declared objects name both places. */
  faults(): ReadonlyArray<ManifestFault> {
    return [...this.#clusters.values()]
      .flatMap((cluster) => [...cluster.files.values()].flatMap((state) => faultsOf(cluster, state)))
      .toSorted(compareByPlace)
  }

  /** How many good objects of each kind there are, over all clusters. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { written } of this.#clusters.values()) {
      for (const { typed } of written.values()) counts.set(typed.kind, (counts.get(typed.kind) ?? 0) + 1)
    }
    return counts
  }

  /** All good objects, over all clusters. */
  objects(): ReadonlyArray<PlacedObject> {
    return [...this.#clusters].flatMap(([cluster, { claims }]) =>
      [...claims.values()].flatMap((claim) => {
        const first = firstByFile(claim)
        if (first === undefined) return []
        const [file, { line, typed }] = first
        return [{ cluster, file, line, typed }]
      })
    )
  }

  /** Notes a file's change; the keys of the objects that it declared or declares. */
  #take(change: FileChange): Iterable<string> {
    const cluster = this.#cluster(change.cluster)
    const before = cluster.files.get(change.file)
    const now = nextFileState(before, change)
    for (const key of before?.objects.keys() ?? []) cluster.claims.get(key)?.delete(change.file)
    for (const [key, object] of now?.objects ?? []) {
      const claims = cluster.claims.get(key) ?? new Map<string, ManifestObject>()
      cluster.claims.set(key, claims.set(change.file, object))
    }
    if (now === undefined) cluster.files.delete(change.file)
    else cluster.files.set(change.file, now)
    return [...(before?.objects.keys() ?? []), ...(now?.objects.keys() ?? [])]
  }

  /** Brings one object up to date with the files that declare it. */
  #settle(id: string, key: string, resourceVersion: string): ReadonlyArray<ObjectWrite> {
    const { claims, written } = this.#cluster(id)
    const before = written.get(key)
    const now = firstByFile(claims.get(key))?.[1]
    if (now === undefined) {
      claims.delete(key)
      written.delete(key)
      return before === undefined
        ? []
        : [{ cluster: id, write: "delete", identity: identityOf(before.typed) }]
    }
    written.set(key, now)
    if (before !== undefined && sameContent(before.typed, now.typed)) return []
    return [{ cluster: id, write: "put", typed: now.typed, resourceVersion }]
  }

  #cluster(id: string): Cluster {
    const known = this.#clusters.get(id)
    if (known !== undefined) return known
    const cluster: Cluster = { files: new Map(), claims: new Map(), written: new Map() }
    this.#clusters.set(id, cluster)
    return cluster
  }
}

/** A file's own faults, and those of its objects that a file with a smaller name declares too. */
const faultsOf = (cluster: Cluster, state: FileState): ReadonlyArray<ManifestFault> => {
  const duplicates = [...state.objects.values()].flatMap((object) => {
    const first = firstByFile(cluster.claims.get(object.key))
    if (first === undefined || first[0] === state.file) return []
    return [duplicateFault(state.cluster, state.file, object, `${first[0]}:${first[1].line}`)]
  })
  return [...state.faults, ...duplicates]
}

const firstByFile = (
  claims: ReadonlyMap<string, ManifestObject> | undefined
): readonly [file: string, object: ManifestObject] | undefined => {
  let first: readonly [string, ManifestObject] | undefined
  for (const claim of claims ?? []) if (first === undefined || claim[0] < first[0]) first = claim
  return first
}

const identityOf = ({ kind, object }: TypedObject): ObjectIdentity => ({
  kind,
  namespace: object.meta.namespace,
  name: object.meta.name
})

/** Whether discovery reads the same of both. Unedited documents keep their identity, so most need no comparison. */
const sameContent = (a: TypedObject, b: TypedObject): boolean =>
  a.object === b.object || JSON.stringify(a.object) === JSON.stringify(b.object)
