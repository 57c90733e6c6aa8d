import { assert, describe, it } from "@effect/vitest"
import { type ClusterStatus, ClusterStatuses } from "@istiod-lite/model"
import { makeUnsynced } from "@istiod-lite/registry-aggregate"
import { layerControlPlane, MemorySource } from "@istiod-lite/testkit"
import { Effect, Layer, Schema } from "effect"
import { missingNotes } from "../cli/missing-notes.ts"
import { ClustersAnswer } from "../tables/answers.ts"
import { clustersTable } from "../tables/clusters-table.ts"
import { ServiceAnswer } from "../tables/explain-answers.ts"
import { explainServiceTable } from "../tables/explain-table.ts"
import { noted } from "../tables/stale-lines.ts"
import { service, slice } from "../testing/manifests.ts"
import { layerLocalQueries } from "./local-queries.ts"
import { Queries } from "./queries.ts"

const since = Date.UTC(2026, 2, 1, 14, 3)
const refused = "Cannot list pods at https://192.0.2.250:6443: connect ECONNREFUSED"
const forbidden = "pods is forbidden. Add a rule to the role."

const home: ClusterStatus = {
  cluster: "Kubernetes",
  server: "https://192.0.2.1:6443",
  state: "synced",
  error: undefined,
  since,
  kinds: [
    { kind: "Service", state: "synced", problem: undefined, since },
    { kind: "WorkloadGroup", state: "absent", problem: "install its CRD if it is wanted", since },
    { kind: "VirtualService", state: "absent", problem: "install its CRD if it is wanted", since },
    { kind: "Node", state: "forbidden", problem: forbidden, since }
  ]
}
const west: ClusterStatus = {
  cluster: "west",
  server: "https://192.0.2.250:6443",
  state: "timeout",
  error: refused,
  since,
  kinds: [
    { kind: "Pod", state: "failing", problem: refused, since },
    { kind: "Service", state: "failing", problem: refused, since }
  ]
}

/** A configuration cluster that is read, and `west`, of which nothing is known. */
const plane = (statuses: ReadonlyArray<ClusterStatus>) =>
  layerLocalQueries(() => []).pipe(
    Layer.provideMerge(Layer.succeed(ClusterStatuses, { all: () => statuses })),
    Layer.provideMerge(layerControlPlane({ clusters: ["west"], synced: false }))
  )

const decoded = <A>(schema: Schema.Decoder<A>, answer: unknown): A => Schema.decodeUnknownSync(schema)(answer)

const readHome = Effect.gen(function* () {
  const source = yield* MemorySource
  source.apply("Kubernetes", service("orders"))
  source.apply("Kubernetes", slice("orders", "10.20.0.1"))
  source.store.markSynced("Kubernetes")
  return source.store
})

describe("a cluster that is not synced (case 44)", () => {
  it.effect("is what readiness waits for, with the kinds that fail and why, until its time is over", () =>
    Effect.gen(function* () {
      const store = yield* readHome
      const unsynced = yield* makeUnsynced
      assert.deepStrictEqual(unsynced(), [`cluster west (Pod, Service cannot be read: ${refused})`])
      store.markSynced("west")
      assert.deepStrictEqual(unsynced(), [])
    }).pipe(Effect.provide(plane([home, { ...west, state: "syncing" }])))
  )

  it.effect("waits because of its credentials, where no kind could be asked for", () =>
    Effect.gen(function* () {
      yield* readHome
      const unsynced = yield* makeUnsynced
      assert.deepStrictEqual(unsynced(), ["cluster west (it is no kubeconfig)"])
    }).pipe(
      Effect.provide(plane([home, { ...west, state: "syncing", error: "it is no kubeconfig", kinds: [] }]))
    )
  )

  it.effect("waits for kinds that have not been read, where nothing fails, whatever may not be read", () =>
    Effect.gen(function* () {
      yield* readHome
      const unsynced = yield* makeUnsynced
      assert.deepStrictEqual(unsynced(), ["cluster west (reading Pod)"])
    }).pipe(
      Effect.provide(
        plane([
          home,
          {
            ...west,
            state: "syncing",
            error: forbidden,
            kinds: [
              { kind: "Pod", state: "listing", problem: undefined, since },
              { kind: "Node", state: "forbidden", problem: forbidden, since },
              { kind: "Service", state: "synced", problem: undefined, since }
            ]
          }
        ])
      )
    )
  )

  it.effect("is shown with its state and errors, and so is what single kinds lack", () =>
    Effect.gen(function* () {
      yield* readHome
      const queries = yield* Queries
      const text = clustersTable(decoded(ClustersAnswer, yield* queries.clusters))
      assert.deepStrictEqual(text.split("\n"), [
        "CLUSTER     ROLE           STATE    OBJECTS",
        "Kubernetes  configuration  synced   1 Service, 1 EndpointSlice",
        "west        remote         timeout",
        `Kubernetes: ${forbidden}`,
        "Kubernetes: not installed: WorkloadGroup, VirtualService",
        `west: ${refused}`,
        "west: cannot be read: Pod, Service"
      ])
    }).pipe(Effect.provide(plane([home, west])))
  )

  it.effect("is named where something may be missing because of it", () =>
    Effect.gen(function* () {
      const store = yield* readHome
      store.markSynced("west")
      store.markStale("west", { since, because: `cluster west is not synced: ${refused}` })
      const queries = yield* Queries
      const line = `Missing since 2026-03-01T14:03:00.000Z: Kubernetes/west: cluster west is not synced: ${refused}`
      const explained = yield* queries.explain({
        about: "service",
        host: { host: "orders", port: undefined },
        client: undefined
      })
      assert.include(noted(explainServiceTable)(decoded(ServiceAnswer, explained)), line)
      assert.include(yield* missingNotes(queries), `cluster west is not synced: ${refused}`)
      const nothing = yield* Effect.flip(
        queries.explain({ about: "endpoint", subject: "203.0.113.121:8080", client: undefined })
      )
      assert.include(nothing.message, `Cluster west is not synced, it may be there: ${refused}.`)
    }).pipe(Effect.provide(plane([home, west])))
  )

  it.effect("that is only known as it was is stale, not missing", () =>
    Effect.gen(function* () {
      const store = yield* readHome
      store.markSynced("west")
      store.markStale("west", { since, because: refused })
      const queries = yield* Queries
      const nothing = yield* Effect.flip(
        queries.explain({ about: "endpoint", subject: "203.0.113.121:8080", client: undefined })
      )
      assert.notInclude(nothing.message, "west")
      assert.strictEqual(yield* missingNotes(queries), "")
    }).pipe(Effect.provide(plane([home, { ...west, state: "stale" }])))
  )
})
