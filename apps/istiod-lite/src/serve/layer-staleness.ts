import { ClusterStatuses, Registries, type Staleness } from "@istiod-lite/model"
import { Clock, Effect, Layer, Metric, Option } from "effect"
import { isNeverRead } from "../query/stale-notes.ts"

/** Seconds since a registry's source was last known to answer, by registry; 0 while it does. */
export const staleSeconds = Metric.gauge("istiod_lite_registry_stale_seconds", {
  description: "Seconds for which a registry has been known only as it was, by registry; 0: it is up to date"
})

/** Registries say of themselves how they are: they are asked this often. */
const lookAgain = "5 seconds"

/**
 * Logs when registries become stale and when they are up to date again, and keeps the metric. Of clusters that were
 * never read there is no last known state; who reads them has told so.
 */
export const layerStaleness: Layer.Layer<never, never, Registries> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all } = yield* Registries
    const followed = Option.getOrUndefined(yield* Effect.serviceOption(ClusterStatuses))
    const told = new Map<string, Staleness | undefined>()
    const look = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const states = new Map([...all.values()].map(({ id, stale }) => [id, stale?.()]))
      const neverRead = new Set(
        followed?.all().flatMap((status) => (isNeverRead(status) ? [`Kubernetes/${status.cluster}`] : []))
      )
      for (const [id, stale] of states) {
        if (!neverRead.has(id)) yield* tell(id, told.get(id), stale)
        yield* measure(id, stale === undefined ? 0 : (now - stale.since) / 1000)
      }
      for (const id of told.keys()) if (!states.has(id)) yield* measure(id, 0)
      told.clear()
      for (const [id, stale] of states) told.set(id, stale)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(lookAgain))))
  })
)

const measure = (registry: string, seconds: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(staleSeconds, { registry }), seconds)

const tell = (id: string, before: Staleness | undefined, now: Staleness | undefined): Effect.Effect<void> => {
  if (before?.because === now?.because) return Effect.void
  return now === undefined
    ? Effect.logInfo(`${id} is up to date again`)
    : Effect.logWarning(`${id} is stale, its last known state is served: ${now.because}`)
}
