import type { ObjectReference, ObjectWriter, Precondition, RawObject, Subresource } from "../object-writer.ts"
import { WriteError, type WriteProblem } from "../object-writer.ts"
import { Effect } from "effect"

/** A call of the writer, before anything is done. */
export interface WriterCall {
  readonly verb: "get" | "list" | "create" | "replace" | "patch" | "delete"
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** How the memory behaves. */
export interface MemoryWriterOptions {
  /** Runs before a call: it may fail it, or take its time. */
  readonly before?: (call: WriterCall) => Effect.Effect<void, WriteProblem>
  /** Runs after a call that was done: failing it is an answer that was lost. */
  readonly after?: (call: WriterCall) => Effect.Effect<void, WriteProblem>
  /** Told of every change; undefined: the object is gone. */
  readonly onChange?: (reference: ObjectReference, now: RawObject | undefined) => void
}

/** Objects in memory that are read and written as at an API server: versions, conflicts, the status apart. */
export class MemoryWriter {
  readonly #objects = new Map<string, RawObject>()
  readonly #options: MemoryWriterOptions
  #version = 0
  readonly #untold: Array<readonly [ObjectReference, RawObject | undefined]> = []

  constructor(options: MemoryWriterOptions = {}) {
    this.#options = options
  }

  /** All objects, in the order in which they came. */
  get objects(): ReadonlyArray<RawObject> {
    return [...this.#objects.values()]
  }

  /** Adds or replaces an object with its status, as a test wants it. */
  put(object: RawObject): RawObject {
    return this.#store(object, this.#objects.get(keyOf(referenceOf(object))))
  }

  find(kind: string, namespace: string, name: string): RawObject | undefined {
    return this.objects.find(
      (object) =>
        object.kind === kind && object.metadata.namespace === namespace && object.metadata.name === name
    )
  }

  readonly writer: ObjectWriter["Service"] = {
    get: (reference) =>
      this.#call("get", reference, () => Effect.succeed(this.#objects.get(keyOf(reference)))),
    list: ({ apiVersion, kind }, namespace) =>
      this.#call("list", { apiVersion, kind, namespace: namespace ?? "", name: "" }, () =>
        Effect.succeed(
          this.objects.filter(
            (object) =>
              object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace)
          )
        )
      ),
    create: (object) =>
      this.#call("create", referenceOf(object), (fail) => {
        if (this.#objects.has(keyOf(referenceOf(object)))) return fail("exists")
        const { status: _, ...withoutStatus } = object
        return Effect.succeed(this.#store(withoutStatus, undefined))
      }),
    replace: (object, subresource) =>
      this.#call("replace", referenceOf(object), (fail) => {
        const before = this.#objects.get(keyOf(referenceOf(object)))
        if (before === undefined) return fail("missing")
        if (!fits(before, object.metadata)) return fail("conflict")
        return Effect.succeed(this.#store(part(before, object, subresource), before))
      }),
    patch: (reference, patch, { subresource, ...precondition } = {}) =>
      this.#call("patch", reference, (fail) => {
        const before = this.#objects.get(keyOf(reference))
        if (before === undefined) return fail("missing")
        if (!fits(before, precondition)) return fail("conflict")
        const merged = mergePatch(before, patch)
        if (!isRawObject(merged)) return fail("invalid")
        return Effect.succeed(this.#store(part(before, merged, subresource), before))
      }),
    delete: (reference, precondition = {}) =>
      this.#call("delete", reference, (fail) => {
        const before = this.#objects.get(keyOf(reference))
        if (before === undefined) return Effect.void
        if (!fits(before, precondition)) return fail("conflict")
        this.#objects.delete(keyOf(reference))
        this.#tell(reference, undefined)
        return Effect.void
      })
  }

  #call<A>(
    verb: WriterCall["verb"],
    reference: ObjectReference,
    run: (
      fail: (problem: WriteProblem) => Effect.Effect<never, WriteProblem>
    ) => Effect.Effect<A, WriteProblem>
  ): Effect.Effect<A, WriteError> {
    const { kind, name, namespace } = reference
    const call: WriterCall = { verb, kind, namespace, name }
    const { after = () => Effect.void, before = () => Effect.void } = this.#options
    return Effect.suspend(() => before(call)).pipe(
      Effect.andThen(Effect.suspend(() => run((problem) => Effect.fail(problem)))),
      Effect.tap(() => after(call)),
      Effect.mapError(
        (problem) =>
          new WriteError({ operation: `${verb} ${kind} ${namespace}/${name}`, problem, detail: problem })
      )
    )
  }

  /** In the order of the changes, also when who is told of one makes the next. */
  #tell(reference: ObjectReference, now: RawObject | undefined): void {
    this.#untold.push([reference, now])
    if (this.#untold.length > 1) return
    for (let told = 0; told < this.#untold.length; told++) {
      const change = this.#untold[told]
      if (change !== undefined) this.#options.onChange?.(...change)
    }
    this.#untold.length = 0
  }

  #store(object: RawObject, before: RawObject | undefined): RawObject {
    const version = ++this.#version
    const stored: RawObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata.uid ?? `uid-${version}`,
        resourceVersion: String(version)
      }
    }
    const reference = referenceOf(stored)
    this.#objects.set(keyOf(reference), stored)
    this.#tell(reference, stored)
    return stored
  }
}

const referenceOf = ({ apiVersion, kind, metadata }: RawObject): ObjectReference => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name
})

const keyOf = ({ kind, name, namespace }: ObjectReference): string => `${kind}/${namespace}/${name}`

const fits = ({ metadata }: RawObject, { resourceVersion, uid }: Precondition): boolean =>
  (resourceVersion === undefined || resourceVersion === metadata.resourceVersion) &&
  (uid === undefined || uid === metadata.uid)

/** What of a write counts: the status, or all but it. */
const part = (before: RawObject, after: RawObject, subresource: Subresource | undefined): RawObject => {
  const { status: _, ...withoutStatus } = subresource === undefined ? after : before
  const { status } = subresource === undefined ? before : after
  return status === undefined ? withoutStatus : { ...withoutStatus, status }
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isRawObject = (value: Json): value is RawObject =>
  isJson(value.metadata) && typeof value.metadata.name === "string" && typeof value.kind === "string"

/** RFC 7386. */
const mergePatch = (target: Json, patch: Json): Json => {
  const merged: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    const before = merged[name]
    if (value === null) delete merged[name]
    else merged[name] = isJson(value) ? mergePatch(isJson(before) ? before : {}, value) : value
  }
  return merged
}
