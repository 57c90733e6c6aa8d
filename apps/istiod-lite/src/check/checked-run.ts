import { type Kind, objectKey, type Objects, type TypedObject } from "@istiod-lite/model"
import type { ManifestCheck, PlacedObject } from "@istiod-lite/source-files"

/** An object of a kind, and its place. */
export interface Placed<K extends Kind> {
  readonly place: PlacedObject
  readonly object: Objects[K]
}

/** The objects of one run of `check`, as relations between them are looked at. */
export interface CheckedRun {
  readonly domainSuffix: string
  readonly all: <K extends Kind>(kind: K) => ReadonlyArray<Placed<K>>
  readonly inNamespace: <K extends Kind>(kind: K, namespace: string) => ReadonlyArray<Placed<K>>
  readonly find: <K extends Kind>(kind: K, namespace: string, name: string) => Placed<K> | undefined
  /** whether one is there, good or faulty; without a name: any of the namespace */
  readonly isThere: (kind: Kind, namespace: string, name?: string) => boolean
  /** whether one is there but cannot be used; without a namespace: any of the kind */
  readonly isRejected: (kind: Kind, namespace?: string) => boolean
}

type Checked = Pick<ManifestCheck, "mesh" | "objects" | "rejected">

/** Indexes what was read. */
export const makeCheckedRun = ({ mesh, objects, rejected }: Checked): CheckedRun => {
  const byKind = Map.groupBy(objects, ({ typed }) => typed.kind)
  const byNamespace = Map.groupBy(objects, ({ typed }) => `${typed.kind}/${typed.object.meta.namespace}`)
  const byKey = Map.groupBy(objects, ({ typed }) => `${typed.kind}/${objectKey(typed.object.meta)}`)
  return {
    domainSuffix: mesh.domainSuffix,
    all: (kind) => ofKind(byKind.get(kind), kind),
    inNamespace: (kind, namespace) => ofKind(byNamespace.get(`${kind}/${namespace}`), kind),
    find: (kind, namespace, name) => ofKind(byKey.get(keyOf(kind, namespace, name)), kind)[0],
    isThere: (kind, namespace, name) =>
      name === undefined
        ? byNamespace.has(`${kind}/${namespace}`) || startsAny(rejected, `${kind}/${namespace}/`)
        : byKey.has(keyOf(kind, namespace, name)) || rejected.has(keyOf(kind, namespace, name)),
    isRejected: (kind, namespace) =>
      startsAny(rejected, namespace === undefined ? `${kind}/` : `${kind}/${namespace}/`)
  }
}

const keyOf = (kind: Kind, namespace: string, name: string): string =>
  `${kind}/${objectKey({ namespace, name })}`

const startsAny = (keys: ReadonlySet<string>, start: string): boolean =>
  [...keys].some((key) => key.startsWith(start))

const ofKind = <K extends Kind>(
  places: ReadonlyArray<PlacedObject> | undefined,
  kind: K
): ReadonlyArray<Placed<K>> =>
  (places ?? []).flatMap((place) =>
    isOfKind(place.typed, kind) ? [{ place, object: place.typed.object }] : []
  )

const isOfKind = <K extends Kind>(
  typed: TypedObject,
  kind: K
): typed is TypedObject & { readonly object: Objects[K] } => typed.kind === kind
