import { compareText } from "@istiod-lite/model"
import { Effect, Exit, Schema, Scope, Stream } from "effect"
import { composeFromInputs, type DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import type { InputChanges, ObjectChange } from "../compose/inputs.ts"
import type { Transaction } from "../record/transaction.ts"
import { endpointChangeText } from "../serve/endpoint-changes.ts"
import { serviceChangeText } from "../serve/service-changes.ts"
import type { RecordingIndex } from "./recording-index.ts"
import { recordedIn } from "./read-recording.ts"

/** What happened, transaction by transaction. */
export const TimelineAnswer = Schema.Array(
  Schema.Struct({
    /** RFC 3339 */
    time: Schema.String,
    /** the control plane started */
    start: Schema.Boolean,
    /** objects and settings that changed */
    changes: Schema.Array(Schema.String),
    /** what that changed of services and endpoints */
    effects: Schema.Array(Schema.String)
  })
)
export type TimelineAnswer = typeof TimelineAnswer.Type

/** Plays a recording to a moment and tells what happened. */
export const timelineUntil = (index: RecordingIndex, until: number): Effect.Effect<TimelineAnswer, Error> =>
  Effect.scoped(
    Effect.gen(function* () {
      const run = yield* makeRun
      const events: Array<TimelineAnswer[number]> = []
      yield* recordedIn(index.path).pipe(
        Stream.filter((recorded) => recorded.found === "transaction"),
        Stream.takeWhile(({ transaction }) => transaction.time <= until),
        Stream.runForEach(({ transaction }) =>
          Effect.map(run(transaction), (effects) => {
            const isStart = transaction.start !== undefined
            events.push({
              time: new Date(transaction.time).toISOString(),
              start: isStart,
              changes: isStart ? [] : changeTexts(transaction.changes),
              effects
            })
          })
        )
      )
      return events
    })
  )

/** Applies transactions to the control plane of their run, one run after the other; gives what each one did. */
const makeRun = Effect.gen(function* () {
  const outer = yield* Effect.scope
  let plane: DetachedControlPlane | undefined
  let scope = yield* Scope.fork(outer)
  return ({ changes, start }: Transaction): Effect.Effect<ReadonlyArray<string>, Error> =>
    Effect.gen(function* () {
      if (start !== undefined) {
        yield* Scope.close(scope, Exit.void)
        scope = yield* Scope.fork(outer)
        plane = yield* Scope.provide(composeFromInputs(start), scope)
        plane.inputs.apply(changes)
        return [`${plane.discovery.services.size} services`]
      }
      return plane === undefined ? [] : applyAndTell(plane, changes)
    })
})

const applyAndTell = (
  { discovery, inputs }: DetachedControlPlane,
  changes: InputChanges
): ReadonlyArray<string> => {
  const effects: Array<string> = []
  const unsubscribes = [
    discovery.services.subscribe((services) => void effects.push(...services.map(serviceChangeText))),
    discovery.endpoints.subscribe((endpoints) => {
      effects.push(...endpoints.flatMap((change) => endpointChangeText(change) ?? []))
    })
  ]
  inputs.apply(changes)
  for (const unsubscribe of unsubscribes) unsubscribe()
  return effects.toSorted(compareText)
}

const changeTexts = (changes: InputChanges): ReadonlyArray<string> => [
  ...changes.clusters.map(([id, isThere]) => `cluster ${id} ${isThere ? "came" : "went"}`),
  ...changes.objects.map(objectText),
  ...(changes.mesh === undefined ? [] : ["mesh configuration"]),
  ...changes.statuses.map(([key]) => `addresses of ServiceEntry ${key}`),
  ...changes.gatewayAddresses.map(([hostname]) => `addresses of gateway ${hostname}`)
]

const objectText = (change: ObjectChange): string => {
  if (change.change === "put") {
    const { namespace, name } = change.typed.object.meta
    return `${change.typed.kind} ${namespace === "" ? name : `${namespace}/${name}`}`
  }
  const { kind, name, namespace } = change.identity
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`} deleted`
}
