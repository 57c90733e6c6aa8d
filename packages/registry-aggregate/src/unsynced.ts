import type { Graph } from "@istiod-lite/collections"
import {
  type ClusterStatus,
  ClusterStatuses,
  type KindState,
  ObjectSource,
  type Provider,
  Registries,
  ServiceDiscovery
} from "@istiod-lite/model"
import { Effect, Option } from "effect"

/** What has not been read completely yet, in words; empty when everything is. */
export type Unsynced = () => ReadonlyArray<string>

/**
 * Asks clusters, registries and service discovery what they still wait for. Of clusters behind API servers it also says
 * what keeps them.
 */
export const makeUnsynced: Effect.Effect<Unsynced, never, ObjectSource | Registries | ServiceDiscovery> =
  Effect.gen(function* () {
    const source = yield* ObjectSource
    const registries = yield* Registries
    const discovery = yield* ServiceDiscovery
    const followed = Option.getOrUndefined(yield* Effect.serviceOption(ClusterStatuses))
    return () => {
      const clusters = [...source.clusters.values()].filter((one) => !one.synced())
      const unread = [...registries.all.values()].filter((one) => !one.synced())
      const namesOnly = unread.length === 0 && !discovery.synced()
      const statuses = clusters.length === 0 ? [] : (followed?.all() ?? [])
      const reasonOf = new Map(statuses.map((status) => [status.cluster, reasonText(status)]))
      return [
        ...clusters.map(({ cluster }) => `cluster ${cluster}${reasonOf.get(cluster) ?? ""}`),
        // The registries that are made of objects wait for nothing but the clusters.
        ...unread
          .filter(({ provider }) => clusters.length === 0 || !ofObjects.has(provider))
          .map(({ id }) => `registry ${id}`),
        ...(source.synced() || clusters.length > 0 ? [] : ["the object source"]),
        ...(namesOnly ? ["the names of network gateways"] : [])
      ]
    }
  })

const ofObjects: ReadonlySet<Provider> = new Set(["Kubernetes", "External"])

/**
 * Which kinds cannot be read, with what is wrong with the first of them, which mostly is so with the others as well; else
 * which are being read; else the last error, of the credentials say.
 */
const reasonText = ({ error, kinds }: ClusterStatus): string => {
  const namesOf = (wanted: KindState): string =>
    kinds.flatMap(({ kind, state }) => (state === wanted ? [kind] : [])).join(", ")
  const failing = kinds.find(({ state }) => state === "failing")
  if (failing !== undefined) return ` (${namesOf("failing")} cannot be read: ${failing.problem})`
  // What may not be read holds nothing up: an error that tells so is not the reason.
  const listing = namesOf("listing")
  if (listing !== "") return ` (reading ${listing})`
  return error === undefined ? "" : ` (${error})`
}

/**
 * Waits until nothing is missing any more: before that a client would be told that endpoints are gone (S-82). Looks
 * after each commit, and now and then for a registry of someone's own that changes its mind without one.
 */
export const untilSynced = (graph: Graph, unsynced: Unsynced): Effect.Effect<void> => {
  const complete = (): boolean => unsynced().length === 0
  const byCommit = Effect.callback<void>((resume) => {
    const look = (): void => {
      if (complete()) resume(Effect.void)
    }
    const unsubscribe = graph.onCommit(look)
    look()
    return Effect.sync(unsubscribe)
  })
  const byTime = Effect.repeat(Effect.sleep("100 millis"), { until: complete })
  // A registry that was added while a commit was told is derived from in the next one, which follows at once.
  return Effect.andThen(Effect.race(byCommit, byTime), Effect.yieldNow)
}
