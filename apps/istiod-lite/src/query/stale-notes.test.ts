import { assert, describe, it } from "@effect/vitest"
import { Registries } from "@istiod-lite/model"
import { layerControlPlane, MemorySource } from "@istiod-lite/testkit"
import { Effect, Layer, Schema } from "effect"
import { ClustersAnswer, EndpointsAnswer, RenderAnswer, ServicesAnswer } from "../tables/answers.ts"
import { clustersTable } from "../tables/clusters-table.ts"
import { endpointsTable } from "../tables/endpoints-table.ts"
import { ConflictsAnswer } from "../tables/explain-answers.ts"
import { explainConflictsTable } from "../tables/explain-table.ts"
import { PlanAnswer } from "../plan/plan-answer.ts"
import { planTable } from "../tables/plan-table.ts"
import { noted } from "../tables/stale-lines.ts"
import { renderTable } from "../tables/render-table.ts"
import { servicesTable } from "../tables/services-table.ts"
import { pod, service, slice } from "../testing/manifests.ts"
import { layerLocalQueries } from "./local-queries.ts"
import { Queries } from "./queries.ts"

const plane = Layer.provideMerge(
  layerLocalQueries(() => []),
  layerControlPlane({ clusters: ["east"] })
)
const stale = { since: Date.UTC(2026, 2, 1, 14, 3), because: "its API server does not answer" }
const line =
  "Stale since 2026-03-01T14:03:00.000Z, as last known: Kubernetes/east: its API server does not answer"

/** `cart` is in both clusters, `till` at home only. */
const filled = Effect.gen(function* () {
  const source = yield* MemorySource
  for (const object of [service("cart"), slice("cart", "10.20.0.1"), pod("cart-1", "10.20.0.1")])
    source.apply("Kubernetes", object)
  for (const object of [service("cart"), slice("cart", "10.30.0.1"), pod("cart-1", "10.30.0.1")])
    source.apply("east", object)
  source.apply("Kubernetes", service("till"))
  return source.store
})

const decoded = <A>(schema: Schema.Decoder<A>, answer: unknown): A => Schema.decodeUnknownSync(schema)(answer)

const texts = Effect.gen(function* () {
  const queries = yield* Queries
  const client = { node: { id: "sidecar~198.51.100.190~web-1.shop~shop.svc.cluster.local", metadata: {} } }
  return {
    clusters: clustersTable(decoded(ClustersAnswer, yield* queries.clusters)),
    services: servicesTable(decoded(ServicesAnswer, yield* queries.services)),
    cart: endpointsTable(
      decoded(EndpointsAnswer, yield* queries.endpoints({ host: "cart", port: undefined }))
    ),
    render: renderTable(decoded(RenderAnswer, yield* queries.render(client))),
    conflicts: noted(explainConflictsTable)(
      decoded(ConflictsAnswer, yield* queries.explain({ about: "conflicts" }))
    ),
    plan: noted(planTable)(
      decoded(PlanAnswer, yield* queries.plan({ manifests: JSON.stringify(service("bakery")) }))
    )
  }
})

describe("staleNotes", () => {
  it.effect("are in every answer that uses what is known only as it was, which is served on (S-82)", () =>
    Effect.gen(function* () {
      const store = yield* filled
      const fresh = yield* texts
      store.markStale("east", stale)
      store.markStale("east", { ...stale, since: stale.since + 60_000 })
      assert.isTrue(store.synced())
      const now = yield* texts
      assert.match(now.clusters, /^east +remote +stale /m)
      assert.include(now.clusters, line.replace("Kubernetes/", ""))
      for (const answer of ["services", "cart", "render", "conflicts", "plan"] as const)
        assert.strictEqual(now[answer], `${fresh[answer]}\n\n${line}`)
      store.markFresh("east")
      assert.deepEqual(yield* texts, fresh)
    }).pipe(Effect.provide(plane))
  )

  it.effect("are not beside what others told", () =>
    Effect.gen(function* () {
      const store = yield* filled
      store.markStale("east", stale)
      const queries = yield* Queries
      const services = Schema.decodeUnknownSync(ServicesAnswer)(yield* queries.services)
      assert.deepEqual(
        services.map(({ hostname, stale: notes }) => [hostname.split(".")[0], notes?.length]),
        [
          ["cart", 1],
          ["till", undefined]
        ]
      )
      const endpoints = Schema.decodeUnknownSync(EndpointsAnswer)(yield* queries.endpoints(undefined))
      const shards = Object.values(endpoints).flatMap((of) => Object.entries(of))
      assert.deepEqual(
        Object.fromEntries(shards.map(([shard, [first]]) => [shard, first?.stale?.registry])),
        { "Kubernetes/Kubernetes": undefined, "Kubernetes/east": "Kubernetes/east" }
      )
      assert.strictEqual((yield* Registries).all.get("Kubernetes/east")?.stale?.()?.because, stale.because)
    }).pipe(Effect.provide(plane))
  )
})
