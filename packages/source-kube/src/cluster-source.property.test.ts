import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { FakeApi, type GivenObject } from "./testing/fake-api.ts"
import { failure } from "./testing/fake-kube-client.ts"
import { followCluster, type Followed } from "./testing/follow-cluster.ts"
import { rawPod, rawService, rawServiceEntry, rawSlice } from "./testing/raw-objects.ts"

const kinds = ["Pod", "EndpointSlice", "Service", "ServiceEntry"] as const
const names = fc.constantFrom("a", "b", "c")
const object: fc.Arbitrary<GivenObject> = fc.oneof(
  fc.tuple(names, fc.constantFrom("10.20.0.1", "10.20.0.2")).map(([name, ip]) => rawPod(name, ip)),
  fc.tuple(names, fc.array(names, { maxLength: 2 })).map(([name, pods]) => rawSlice(name, ...pods)),
  names.map(rawService),
  fc.tuple(names, names).map(([name, host]) => rawServiceEntry(name, `${host}.example`))
)

interface Change {
  readonly step: "put" | "delete"
  readonly object: GivenObject
}

/** What happens to the server, to its connections, or to time. */
type Step =
  | Change
  | { readonly step: "away"; readonly changes: ReadonlyArray<Change>; readonly forgets: boolean }
  | { readonly step: "compact" | "bookmark" | "cut" | "silence" | "garble" | "end" }
  | { readonly step: "fail"; readonly status: number | undefined; readonly paths: string }
  | { readonly step: "forbid" | "remove" | "mend" }
  | { readonly step: "wait"; readonly seconds: number }

const change: fc.Arbitrary<Change> = fc.record({ step: fc.constantFrom("put", "delete"), object })

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: change },
    {
      weight: 3,
      arbitrary: fc.record({
        step: fc.constant("away" as const),
        changes: fc.array(change, { maxLength: 6 }),
        forgets: fc.boolean()
      })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        step: fc.constantFrom("compact", "bookmark", "cut", "silence", "garble", "end")
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant("fail" as const),
        status: fc.constantFrom(undefined, 429, 500, 503),
        paths: fc.constantFrom("", "pods", "endpointslices")
      })
    },
    { weight: 2, arbitrary: fc.record({ step: fc.constantFrom("forbid", "remove", "mend", "mend") }) },
    { weight: 4, arbitrary: fc.record({ step: fc.constant("wait" as const), seconds: fc.nat(100) }) }
  ),
  { minLength: 4, maxLength: 25, size: "max" }
)

const take = (step: Step, api: FakeApi, { client, cut }: Followed): Effect.Effect<void> => {
  switch (step.step) {
    case "put":
    case "delete":
      make(step, api)
      break
    case "away":
      cut()
      for (const each of step.changes) make(each, api)
      if (step.forgets) api.compact()
      break
    case "compact":
      api.compact()
      break
    case "bookmark":
      api.bookmark()
      break
    case "cut":
      cut()
      break
    case "silence":
      for (const watch of client.watches) watch.silence()
      break
    case "garble":
      for (const watch of client.watches) watch.send(`{"type":"ADDED","obj\n`)
      break
    case "end":
      for (const watch of client.watches) watch.end()
      break
    case "fail":
      client.fault = (request) =>
        request.path.endsWith(step.paths) ? failure(request, { status: step.status }) : undefined
      break
    case "forbid":
      api.forbidden.add("pods")
      break
    case "remove":
      api.absent.add("serviceentries")
      break
    case "mend":
      mend(api, client)
      break
    case "wait":
      return TestClock.adjust(step.seconds * 1000)
  }
  return TestClock.adjust(0)
}

const make = ({ object: given, step }: Change, api: FakeApi): void => {
  if (step === "put") api.put(given)
  else api.delete(given)
}

const isChange = (step: Step): step is Change => "object" in step

const mend = (api: FakeApi, client: Followed["client"]): void => {
  client.fault = () => undefined
  api.forbidden.clear()
  api.absent.clear()
}

const watchedPaths = ({ client }: Followed): ReadonlyArray<string> =>
  [...client.watches].map(({ path }) => path)

/** What is held of services that were gone before the last list of services. */
const heldInVain = (
  api: FakeApi,
  deleted: ReadonlyMap<string, number>,
  followed: Followed
): ReadonlyArray<string> =>
  followed
    .held("Service")
    .filter(
      (name) => (deleted.get(name) ?? Number.POSITIVE_INFINITY) < (api.listed.get("/api/v1/services") ?? 0)
    )

const run = Effect.fnUntraced(function* (history: ReadonlyArray<Step>) {
  const api = new FakeApi()
  for (const name of ["a", "b", "c"]) {
    for (const given of [rawPod(name), rawSlice(name, name), rawService(name), rawServiceEntry(name)])
      api.put(given)
  }
  const followed = yield* followCluster(api)
  yield* TestClock.adjust(0)
  /** services that are gone, with the version of their deletion */
  const deleted = new Map<string, number>()
  for (const step of history) {
    yield* take(step, api, followed)
    assert.lengthOf(new Set(watchedPaths(followed)), followed.client.watches.size, "watches of one kind")
    for (const { object: given, step: made } of "changes" in step ? step.changes : [step].filter(isChange)) {
      if (given.kind !== "Service") continue
      if (made === "put") deleted.delete(given.metadata.name)
      else deleted.set(given.metadata.name, Number(api.version))
    }
    const vain = heldInVain(api, deleted, followed)
    if (step.step !== "wait" || vain.length === 0) continue
    // Kinds may have begun to wait for each other just now, while others fail.
    yield* TestClock.adjust("11 seconds")
    assert.deepEqual(
      heldInVain(api, deleted, followed).filter((name) => vain.includes(name)),
      []
    )
  }
  mend(api, followed.client)
  // A watch that has fallen silent is given up, a refused kind looked for, pods that are gone let go of.
  for (let round = 0; round < 5; round++) {
    yield* TestClock.adjust("31 seconds")
    api.bookmark()
  }
  return {
    held: kinds.map((kind) => followed.held(kind)),
    there: kinds.map((kind) =>
      [...api.objectsOf(kind).values()].map(({ metadata }) => metadata.name).toSorted()
    ),
    state: followed.source.status().state,
    watches: followed.client.watches.size
  }
}, Effect.scoped)

describe("watchCluster, whatever happens", () => {
  it(
    "ends with what the server has, and never follows a kind twice",
    () =>
      fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const quiet = Layer.merge(TestClock.layer(), Logger.layer([]))
          const end = await Effect.runPromise(Effect.provide(run(history), quiet))
          assert.deepEqual(end.held, end.there)
          assert.strictEqual(end.state, "synced")
          assert.strictEqual(end.watches, 13)
        }),
        { numRuns: 60 }
      ),
    30_000
  )
})
