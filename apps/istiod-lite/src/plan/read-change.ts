import {
  formatFault,
  isIstioKind,
  isKind,
  type Kind,
  type ObjectIdentity,
  objectKey,
  type ObjectSource,
  type TypedObject
} from "@istiod-lite/model"
import { type Reading, readManifest } from "@istiod-lite/source-files"
import { type ObjectChange, typedObject } from "../compose/inputs.ts"
import { asApplied } from "./as-applied.ts"
import type { ObjectEffect } from "./plan-answer.ts"

/** What somebody means to do. */
export interface PlannedChange {
  /** YAML or JSON, any number of documents */
  readonly manifests: string
  /** whether the objects are to be deleted rather than applied */
  readonly deletes: boolean
  /** the cluster whose objects they are; undefined: the configuration cluster */
  readonly cluster: string | undefined
}

/** One object of a change. */
export interface PlannedObject {
  /** `DestinationRule shop/cart` */
  readonly object: string
  readonly effect: ObjectEffect
  /** undefined: the effect is none */
  readonly change: ObjectChange | undefined
}

/** A change as objects, and what cannot be read of it, in lines. */
export interface ChangeReading {
  readonly objects: ReadonlyArray<PlannedObject>
  readonly faults: ReadonlyArray<string>
}

/** Reads a change against the objects that are there. */
export const readChange = (
  { cluster, deletes, manifests }: PlannedChange,
  source: ObjectSource["Service"]
): ChangeReading => {
  const reading = readManifest(manifests)
  const place = cluster ?? source.configCluster
  return deletes
    ? {
        objects: identitiesOf(reading).map((identity) => plannedDelete(place, identity, source)),
        // What is to be deleted has to be named, no more.
        faults: reading.complete ? [] : faultLines(reading)
      }
    : {
        objects: reading.objects.map(({ typed }) => plannedPut(place, typed, source)),
        faults: faultLines(reading)
      }
}

const faultLines = ({ faults }: Reading): ReadonlyArray<string> =>
  faults
    .filter(({ severity }) => severity === "error")
    .map((fault) => `line ${fault.line}: ${formatFault(fault)}`)

/** All objects that are named, good or not. */
const identitiesOf = ({ objects, rejected }: Reading): ReadonlyArray<ObjectIdentity> =>
  [...objects.map(({ key }) => key), ...rejected].flatMap((key) => {
    const [kind = "", namespace = "", name = ""] = key.split("/")
    return isKind(kind) ? [{ kind, namespace, name }] : []
  })

const plannedPut = (
  cluster: string,
  written: TypedObject,
  source: ObjectSource["Service"]
): PlannedObject => {
  const object = nameOf(identityOf(written))
  if (!counts(cluster, written, source)) return { object, effect: "passed over", change: undefined }
  const before = find(source, cluster, identityOf(written))
  const typed = asApplied(written, before)
  const effect = before === undefined ? "added" : sameButVersion(before, typed) ? "unchanged" : "changed"
  return { object, effect, change: effect === "unchanged" ? undefined : { cluster, change: "put", typed } }
}

const plannedDelete = (
  cluster: string,
  identity: ObjectIdentity,
  source: ObjectSource["Service"]
): PlannedObject => {
  const object = nameOf(identity)
  if (!counts(cluster, identity, source)) return { object, effect: "passed over", change: undefined }
  return find(source, cluster, identity) === undefined
    ? { object, effect: "missing", change: undefined }
    : { object, effect: "deleted", change: { cluster, change: "delete", identity } }
}

/** Istio's objects are read from the configuration cluster alone. */
const counts = (
  cluster: string,
  { kind }: { readonly kind: Kind },
  { configCluster }: ObjectSource["Service"]
): boolean => cluster === configCluster || !isIstioKind(kind)

const find = (
  { clusters, config }: ObjectSource["Service"],
  cluster: string,
  { kind, ...meta }: ObjectIdentity
): TypedObject | undefined => {
  const key = objectKey(meta)
  const object = isIstioKind(kind) ? config[kind].get(key) : clusters.get(cluster)?.objects[kind].get(key)
  return object === undefined ? undefined : typedObject(kind, object)
}

const identityOf = ({ kind, object }: TypedObject): ObjectIdentity => ({
  kind,
  namespace: object.meta.namespace,
  name: object.meta.name
})

const nameOf = ({ kind, name, namespace }: ObjectIdentity): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`

const sameButVersion = (a: TypedObject, b: TypedObject): boolean => withoutVersion(a) === withoutVersion(b)

const withoutVersion = ({ object }: TypedObject): string =>
  JSON.stringify({ ...object, meta: { ...object.meta, resourceVersion: "" } })
