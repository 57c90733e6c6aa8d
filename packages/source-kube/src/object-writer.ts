import {
  type ObjectReference,
  ObjectWriter,
  type RawObject,
  WriteError,
  type WriteProblem
} from "@istiod-lite/model"
import { Effect } from "effect"
import type { KubeClient, KubeRequest } from "./kube-client.ts"
import type { KubeError } from "./kube-error.ts"
import { collectionPath, isLegal, objectPath } from "./object-paths.ts"

/** Reads and writes objects at an API server. */
export const makeObjectWriter = (client: KubeClient): ObjectWriter["Service"] => {
  const ask = (
    operation: string,
    object: Pick<ObjectReference, "name" | "namespace">,
    request: Omit<KubeRequest, "operation">
  ): Effect.Effect<unknown, WriteError> =>
    isLegal(object)
      ? Effect.mapError(client.json({ ...request, operation }), (error) => writeError(operation, error))
      : Effect.fail(new WriteError({ operation, problem: "invalid", detail: "that is no name of an object" }))
  const send = (
    operation: string,
    object: Pick<ObjectReference, "name" | "namespace">,
    request: Omit<KubeRequest, "operation">
  ): Effect.Effect<RawObject, WriteError> =>
    ask(operation, object, request).pipe(
      Effect.flatMap((answer) =>
        isObject(answer)
          ? Effect.succeed(answer)
          : Effect.fail(
              new WriteError({ operation, problem: "unavailable", detail: "the answer is no object" })
            )
      )
    )
  return ObjectWriter.of({
    get: (object) =>
      send(`get ${nameOf(object)}`, object, { method: "GET", path: objectPath(object) }).pipe(
        Effect.catchIf(
          (error) => error.problem === "missing",
          () => Effect.undefined
        )
      ),
    list: (kind, namespace) => {
      const operation = `list ${kind.kind} objects`
      return client.json({ operation, method: "GET", path: collectionPath(kind, namespace) }).pipe(
        Effect.mapError((error) => writeError(operation, error)),
        Effect.map((answer) =>
          itemsOf(answer).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }))
        )
      )
    },
    create: (object) =>
      send(`create ${nameOf(referenceOf(object))}`, referenceOf(object), {
        method: "POST",
        path: collectionPath(object, object.metadata.namespace),
        body: object
      }),
    replace: (object, subresource) =>
      send(`replace ${nameOf(referenceOf(object), subresource)}`, referenceOf(object), {
        method: "PUT",
        path: `${objectPath(referenceOf(object))}${subresource === undefined ? "" : `/${subresource}`}`,
        body: object
      }),
    patch: (object, patch, { resourceVersion, subresource, uid } = {}) =>
      send(`patch ${nameOf(object, subresource)}`, object, {
        method: "PATCH",
        path: `${objectPath(object)}${subresource === undefined ? "" : `/${subresource}`}`,
        contentType: "application/merge-patch+json",
        body: withPrecondition(patch, { resourceVersion, uid })
      }),
    delete: (object, precondition) =>
      ask(`delete ${nameOf(object)}`, object, {
        method: "DELETE",
        path: objectPath(object),
        ...(precondition === undefined ? {} : { body: deleteOptions(precondition) })
      }).pipe(
        Effect.catchIf(
          (error) => error.problem === "missing",
          () => Effect.void
        ),
        Effect.asVoid
      )
  })
}

const referenceOf = ({ apiVersion, kind, metadata }: RawObject): ObjectReference => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name
})

const nameOf = ({ kind, name, namespace }: ObjectReference, subresource?: string): string =>
  `${subresource === undefined ? "" : `${subresource} of `}${kind} ${namespace}/${name}`

/** A merge patch that names a version or uid is refused if the object has another one. */
const withPrecondition = (
  patch: Readonly<Record<string, unknown>>,
  precondition: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, unknown>> => {
  const bound = Object.entries(precondition).filter(([, value]) => value !== undefined)
  if (bound.length === 0) return patch
  const metadata = typeof patch.metadata === "object" ? patch.metadata : {}
  return { ...patch, metadata: { ...metadata, ...Object.fromEntries(bound) } }
}

const deleteOptions = (preconditions: object): object => ({
  apiVersion: "v1",
  kind: "DeleteOptions",
  preconditions
})

const writeError = (operation: string, error: KubeError): WriteError =>
  new WriteError({ operation, problem: problemOf(error), detail: error.detail })

/** Sources: Kubernetes API conventions, "HTTP Status codes" and "Response Status Kind". */
const problemOf = ({ reason, status }: KubeError): WriteProblem => {
  if (status === 409) return reason === "AlreadyExists" ? "exists" : "conflict"
  return (status === undefined ? undefined : problems[status]) ?? "unavailable"
}

const problems: Readonly<Record<number, WriteProblem>> = {
  400: "invalid",
  401: "forbidden",
  403: "forbidden",
  404: "missing",
  405: "invalid",
  415: "invalid",
  422: "invalid"
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isObject = (value: unknown): value is RawObject =>
  isRecord(value) && isRecord(value.metadata) && typeof value.metadata.name === "string"

const itemsOf = (list: unknown): ReadonlyArray<RawObject> =>
  isRecord(list) && Array.isArray(list.items) ? list.items.filter(isObject) : []
