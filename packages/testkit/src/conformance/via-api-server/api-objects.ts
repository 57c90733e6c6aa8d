import { isClusterWide, isKind, type Kind } from "@istiod-lite/model"
import {
  type KubeClient,
  type KubeError,
  type KubeRequest,
  resourceOf,
  resourcePath
} from "@istiod-lite/source-kube"
import { Data, Effect } from "effect"
import { isFields, marked, textOf } from "./restored.ts"

type Fields = Readonly<Record<string, unknown>>

/** An API server does not take an object, or not that change of it. */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly object: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.object}: ${this.reason}`
  }
}

/** Which object is meant. */
export interface Identity {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
}

/** The identity of a manifest; undefined: discovery does not read such objects. */
export const identityOf = (object: unknown): Identity | undefined => {
  if (!isFields(object) || !isFields(object.metadata)) return undefined
  const { kind } = object
  if (typeof kind !== "string" || !isKind(kind)) return undefined
  const { name, namespace } = object.metadata
  return { kind, name: textOf(name), namespace: isClusterWide(kind) ? "" : textOf(namespace) || "default" }
}

const nameOf = ({ kind, name, namespace }: Identity): string =>
  namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`

const pathOf = ({ kind, name, namespace }: Identity): string =>
  `${resourcePath(resourceOf(kind), namespace === "" ? undefined : namespace)}/${name}`

/** Kinds whose status is written separately. */
const withStatus = new Set<Kind>(["Pod", "Service", "Node", "WorkloadEntry", "ServiceEntry"])

/**
 * Writes a scenario's object as people and controllers do: the object, then its status. What it lacks for an API server
 * is added: a container for pods. Gives the version that shows all of it.
 */
export const writeObject = (
  client: KubeClient,
  raw: Fields,
  identity: Identity,
  marker: { readonly run: string; readonly write: number }
): Effect.Effect<bigint, Rejected> =>
  Effect.gen(function* () {
    const isEnding = isDeleting(raw)
    const object = marked(complete(raw, identity), marker)
    const path = pathOf(identity)
    const send = (method: "GET" | "POST" | "PUT", at: string, body?: Fields) =>
      client.json({
        operation: `${method} ${nameOf(identity)}`,
        method,
        path: at,
        ...(body === undefined ? {} : { body })
      })
    if (identity.namespace !== "") yield* ensureNamespace(client, identity.namespace)
    const before = yield* Effect.result(send("GET", path))
    const written =
      before._tag === "Failure"
        ? yield* send("POST", path.slice(0, path.lastIndexOf("/")), object)
        : yield* send("PUT", path, withVersion(object, before.success))
    let last = written
    if (withStatus.has(identity.kind) && (raw.status !== undefined || before._tag === "Success")) {
      last = yield* send("PUT", `${path}/status`, withVersion({ ...object, status: raw.status ?? {} }, last))
    }
    // A time of deletion comes only by a deletion, which the finalizer keeps from being one.
    if (isEnding) last = yield* client.json(deletion(identity, 30))
    return versionOf(last)
  }).pipe(
    Effect.mapError((error: KubeError) => new Rejected({ object: nameOf(identity), reason: error.detail }))
  )

/** Versions are numbers, and later ones are higher. */
const versionOf = (stored: unknown): bigint =>
  BigInt(isFields(stored) && isFields(stored.metadata) ? String(stored.metadata.resourceVersion) : "0")

/** Deletes an object at once; that it is not there is no error. */
export const deleteObject = (client: KubeClient, identity: Identity): Effect.Effect<void, Rejected> =>
  Effect.gen(function* () {
    const path = pathOf(identity)
    const operation = `delete ${nameOf(identity)}`
    const stored = yield* client.json({ operation, method: "GET", path })
    if (isFields(stored) && isFields(stored.metadata) && stored.metadata.finalizers !== undefined) {
      const body = { metadata: { finalizers: null } }
      const contentType = "application/merge-patch+json"
      yield* client.json({ operation, method: "PATCH", path, body, contentType })
    }
    yield* client.json(deletion(identity, 0))
    // There is no controller that would give the addresses of Services back.
    for (const address of addressesOf(stored)) {
      yield* Effect.ignore(
        client.json({
          operation: `free ${address}`,
          method: "DELETE",
          path: `/apis/networking.k8s.io/v1/ipaddresses/${address}`
        })
      )
    }
  }).pipe(
    Effect.catch((error: KubeError) =>
      error.status === 404
        ? Effect.void
        : Effect.fail(new Rejected({ object: nameOf(identity), reason: error.detail }))
    )
  )

const deletion = (identity: Identity, gracePeriodSeconds: number): KubeRequest => ({
  operation: `delete ${nameOf(identity)}`,
  method: "DELETE",
  path: pathOf(identity),
  body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds }
})

const addressesOf = (stored: unknown): ReadonlyArray<string> => {
  const spec = isFields(stored) && isFields(stored.spec) ? stored.spec : {}
  return Array.isArray(spec.clusterIPs)
    ? spec.clusterIPs.map(textOf).filter((ip) => ip !== "" && ip !== "None")
    : []
}

const isDeleting = ({ metadata }: Fields): boolean =>
  isFields(metadata) && metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null

const withVersion = (object: Fields, stored: unknown): Fields => {
  const metadata = isFields(stored) && isFields(stored.metadata) ? stored.metadata : {}
  const own = isFields(object.metadata) ? object.metadata : {}
  return { ...object, metadata: { ...own, resourceVersion: metadata.resourceVersion, uid: metadata.uid } }
}

/** Namespaces that a scenario takes for granted; without a marker they are not seen. */
const ensureNamespace = (client: KubeClient, name: string): Effect.Effect<void, KubeError> =>
  client
    .json({
      operation: `create namespace ${name}`,
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name } }
    })
    .pipe(
      Effect.asVoid,
      Effect.catchIf(
        (error: KubeError) => error.status === 409,
        () => Effect.void
      )
    )

/** What only an API server writes is left out, and what it demands is added. */
const complete = (raw: Fields, { kind }: Identity): Fields => {
  const {
    deletionGracePeriodSeconds: _,
    deletionTimestamp,
    ...metadata
  } = isFields(raw.metadata) ? raw.metadata : {}
  const isEnding = deletionTimestamp !== undefined && deletionTimestamp !== null
  const object: Fields = {
    ...raw,
    metadata: isEnding ? { ...metadata, finalizers: ["conformance.istiod-lite.io/keep"] } : metadata
  }
  if (kind !== "Pod") return object
  const spec = isFields(object.spec) ? object.spec : {}
  const given = Array.isArray(spec.containers) ? spec.containers : []
  const containers = (given.length === 0 ? [{ name: "main" }] : given).map((container: unknown, i) => ({
    name: `container-${i}`,
    image: "none",
    ...(isFields(container) ? container : {})
  }))
  return { ...object, spec: { ...spec, containers } }
}
