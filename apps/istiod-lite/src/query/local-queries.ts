import { MeshPolicy } from "@istiod-lite/mesh-policy"
import { ClusterStatuses, ObjectSource, Registries, ServiceDiscovery } from "@istiod-lite/model"
import { endpointsJson, servicesJson } from "@istiod-lite/registry-aggregate"
import { WorkloadRegistration } from "@istiod-lite/workload-registration"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Effect, Layer, Option, Semaphore } from "effect"
import type { Discovery } from "../compose/layer-discovery.ts"
import { makeExplainSources } from "../explain/explain-sources.ts"
import { chooseProxy } from "./choose-proxy.ts"
import { clustersJson } from "./clusters-json.ts"
import { endpointsOf } from "./endpoints-of.ts"
import { explainQuery } from "./explain-query.ts"
import { explainMissing } from "./missing-clusters.ts"
import { machinesJson } from "./machines-json.ts"
import { proxiesJson } from "./proxies-json.ts"
import { Queries } from "./queries.ts"
import { renderJson } from "./render-json.ts"
import { staleNotes, withStale } from "./stale-notes.ts"

/** Answers from the collections of this process. */
export const layerLocalQueries = (
  connections: () => ReadonlyArray<ConnectionInfo>
): Layer.Layer<Queries, never, Discovery> =>
  Layer.effect(
    Queries,
    Effect.gen(function* () {
      const discovery = yield* ServiceDiscovery
      const policy = yield* MeshPolicy
      const source = yield* ObjectSource
      const registries = yield* Registries
      const sources = yield* makeExplainSources(connections)
      const followed = Option.getOrUndefined(yield* Effect.serviceOption(ClusterStatuses))
      const statuses = () => followed?.all() ?? []
      const notes = () => staleNotes(registries.all.values(), statuses())
      const explained = explainMissing(statuses)
      const registration = Option.getOrUndefined(yield* Effect.serviceOption(WorkloadRegistration))
      const context = yield* Effect.context<Discovery>()
      // A plan takes memory for a second control plane: one at a time.
      const onePlan = yield* Semaphore.make(1)
      return Queries.of({
        services: Effect.sync(() => servicesJson(discovery.services.values(), notes().ofService)),
        endpoints: (of) =>
          endpointsOf(discovery, of).pipe(
            Effect.map((found) => endpointsJson(found, notes().ofShard)),
            explained
          ),
        render: (choice) =>
          chooseProxy(choice, connections(), sources).pipe(
            Effect.map((proxy) => renderJson({ discovery, policy, stale: notes().all }, proxy)),
            explained
          ),
        explain: (question) =>
          Effect.suspend(() => explainQuery(sources, question)).pipe(
            Effect.map((answer) => withStale(answer, notes())),
            explained
          ),
        proxies: Effect.sync(() => proxiesJson(connections())),
        clusters: Effect.sync(() => clustersJson(source, statuses())),
        machines: Effect.sync(() => machinesJson(source.config.WorkloadEntry.values(), registration)),
        plan: (change) =>
          onePlan
            .withPermits(1)(
              // What reads manifests is loaded with the first plan.
              Effect.flatMap(
                Effect.promise(() => import("./plan-query.ts")),
                ({ planQuery }) => planQuery(change, connections())
              )
            )
            .pipe(
              Effect.provideContext(context),
              Effect.map((answer) => withStale(answer, notes()))
            )
      })
    })
  )
