import { assert, describe, it } from "@effect/vitest"
import { meshKey, parseProxy } from "@istiod-lite/model"
import { Effect } from "effect"
import { StepRecorder } from "../conformance/step-pushes.ts"
import { type ControlPlane, makeControlPlane } from "../control-plane.ts"
import { generateHistory } from "../simulation/generate/generate-history.ts"
import { configCluster, type SimulatedEvent } from "../simulation/history.ts"
import { decoded, ObservedObjects } from "../simulation/observed-objects.ts"

/** How many histories: each names some 200 events, and every client is looked at after each. */
const seeds = Number(process.env.ISTIOD_LITE_PUSH_SEEDS ?? 12)

/** Lets the control plane observe the event. */
const observe = (
  { graph, mesh, source: { store } }: ControlPlane,
  event: SimulatedEvent,
  so: ObservedObjects
) => {
  const isThere = "cluster" in event && so.clusters.has(event.cluster)
  so.take(event)
  switch (event.action) {
    case "apply":
      return graph.transaction(() => {
        store.markSynced(event.cluster)
        store.put(event.cluster, decoded(event.manifest))
      })
    case "delete":
      return store.delete(event.cluster, event.identity)
    case "relist":
      return graph.transaction(() => so.writeCluster(store, event.cluster))
    case "removeCluster":
      return store.removeCluster(event.cluster)
    case "replaceCluster": {
      if (!isThere) return undefined
      const successor = store.successor(event.cluster)
      for (const manifest of event.manifests) successor.put(decoded(manifest))
      return successor.takeOver()
    }
    case "configure":
      return mesh.set(meshKey, so.meshConfig)
  }
}

/** What clients of the seed's history saw differently without a push that named it, with its batch. */
const missedOf = Effect.fn(function* (seed: number) {
  const { batches, clients } = generateHistory(seed)
  const recorders: Array<StepRecorder> = []
  const plane = yield* makeControlPlane(
    { configCluster },
    { push: (request) => recorders.forEach((recorder) => recorder.push(request)) }
  )
  const recorder = new StepRecorder(
    plane,
    clients.map(({ node }) => parseProxy(node))
  )
  recorders.push(recorder)
  const observed = new ObservedObjects()
  observed.clusters.set(configCluster, new Map())
  return batches.flatMap(({ events, together }, batch) => {
    const all = () => events.forEach((event) => observe(plane, event, observed))
    if (together) plane.graph.transaction(all)
    for (const event of together ? [] : events) {
      observe(plane, event, observed)
      recorder.look()
    }
    recorder.look()
    return recorder.take().missed.map(({ name, of, proxy }) => `batch ${batch}, ${proxy.id}: ${of} ${name}`)
  })
}, Effect.scoped)

describe("push requests name everything that a client sees differently", () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`in the history of seed ${seed}`, () =>
      Effect.map(missedOf(seed), (missed) => assert.deepEqual(missed, []))
    )
  }
})
