import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { failure, type FakeKubeClient } from "./testing/fake-kube-client.ts"
import { rawPod } from "./testing/raw-objects.ts"
import { makeRemoteWorld, secretOf } from "./testing/remote-world.ts"

const ids = ["north", "south", "west"] as const
const id = fc.constantFrom(...ids)
/** `refused` is not let in, `unreachable` gets no answer, `broken` is no kubeconfig. */
const kubeconfig = fc.constantFrom("good-1", "good-2", "good-3", "refused", "unreachable", "broken")

/** What happens to the secrets, to a cluster's objects, to how long answers take, or to time. */
type Step =
  | { readonly step: "secret"; readonly name: string; readonly cluster: string; readonly kubeconfig: string }
  | { readonly step: "remove"; readonly name: string }
  | { readonly step: "pod"; readonly cluster: string; readonly pod: string; readonly isThere: boolean }
  | { readonly step: "delay"; readonly millis: number }
  | { readonly step: "wait"; readonly millis: number }

const secretName = fc.constantFrom("a", "b", "c", "d")
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        step: fc.constant("secret" as const),
        name: secretName,
        cluster: id,
        kubeconfig
      })
    },
    { weight: 2, arbitrary: fc.record({ step: fc.constant("remove" as const), name: secretName }) },
    {
      weight: 3,
      arbitrary: fc.record({
        step: fc.constant("pod" as const),
        cluster: id,
        pod: fc.constantFrom("x", "y"),
        isThere: fc.boolean()
      })
    },
    { weight: 2, arbitrary: fc.record({ step: fc.constant("delay" as const), millis: fc.nat(20_000) }) },
    { weight: 4, arbitrary: fc.record({ step: fc.constant("wait" as const), millis: fc.nat(40_000) }) }
  ),
  { minLength: 4, maxLength: 30, size: "max" }
)

/** A pod that each cluster has for ever. */
const anchor = "anchor"

const answerAs = (client: FakeKubeClient, text: string): void => {
  if (text === "refused") client.fault = (request) => failure(request, { status: 401 })
  if (text === "unreachable") client.fault = (request) => failure(request)
}

const run = Effect.fnUntraced(function* (history: ReadonlyArray<Step>) {
  const world = yield* makeRemoteWorld()
  const secrets = new Map<string, { readonly cluster: string; readonly kubeconfig: string }>()
  let delay = 0
  for (const each of ids) world.apiOf(each).put(rawPod(anchor))
  world.prepareClients((client, named) => {
    client.delay = () => delay
    answerAs(client, named.kubeconfig)
  })
  /** clusters that were read since they were named */
  const read = new Set<string>()
  const lost: Array<string> = []
  world.graph.onCommit(() => {
    for (const each of ids) {
      const isHeld = world.pods(each).includes(anchor)
      if (isHeld) read.add(each)
      else if (read.has(each)) lost.push(each)
    }
  })
  const setSecrets = (): void => {
    const named = new Set([...secrets.values()].map(({ cluster }) => cluster))
    for (const each of ids) if (!named.has(each)) read.delete(each)
    world.set(
      ...[...secrets].map(([name, { cluster, kubeconfig: text }]) => secretOf(name, { [cluster]: text }))
    )
  }
  for (const step of history) {
    if (step.step === "secret") {
      secrets.set(step.name, step)
      setSecrets()
    } else if (step.step === "remove") {
      secrets.delete(step.name)
      setSecrets()
    } else if (step.step === "pod") {
      if (step.isThere) world.apiOf(step.cluster).put(rawPod(step.pod))
      else world.apiOf(step.cluster).delete(rawPod(step.pod))
    } else if (step.step === "delay") {
      delay = step.millis
    } else {
      yield* TestClock.adjust(step.millis)
    }
    yield* TestClock.adjust(0)
  }
  // In the end all credentials are good, so all that is named is known.
  for (const [name, { cluster }] of secrets) secrets.set(name, { cluster, kubeconfig: "good-4" })
  delay = 0
  setSecrets()
  yield* TestClock.adjust("5 minutes")
  const named = [...new Set([...secrets.values()].map(({ cluster }) => cluster))].toSorted()
  return {
    lost,
    named,
    states: world.statuses().map(({ cluster, error, state }) => [cluster, state, error]),
    kept: [...world.store.clusters.keys()].toSorted(),
    held: named.map((each) => world.pods(each)),
    there: named.map((each) =>
      [...world.apiOf(each).objectsOf("Pod").values()].map(({ metadata }) => metadata.name).toSorted()
    ),
    connected: world.connected
      .filter(({ isClosed }) => !isClosed)
      .map(({ cluster }) => cluster)
      .toSorted()
  }
}, Effect.scoped)

describe("makeRemoteClusters, whatever happens", { timeout: 30_000 }, () => {
  it("ends with what the clusters have that are named, and loses nothing of them on the way", () =>
    fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const quiet = Layer.merge(TestClock.layer(), Logger.layer([]))
        const end = await Effect.runPromise(Effect.provide(run(history), quiet))
        assert.deepStrictEqual(end.lost, [])
        assert.deepStrictEqual(
          end.states,
          end.named.map((cluster) => [cluster, "synced", undefined])
        )
        assert.deepStrictEqual(end.kept, end.named)
        assert.deepStrictEqual(end.held, end.there)
        assert.deepStrictEqual(end.connected, end.named)
      }),
      { numRuns: 40 }
    ))
})
