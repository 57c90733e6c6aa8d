import type { Collection } from "@istiod-lite/collections"
import { objectKey, type ObjectWriter, type WorkloadEntry, type WriteError } from "@istiod-lite/model"
import { Clock, Duration, Effect, FiberMap, Random, Schedule, Semaphore } from "effect"
import { probeAnnotation } from "./annotations.ts"
import { workloadEntryApi } from "./entry-from-group.ts"
import { withHealth } from "./health.ts"
import { afterProbe, noProbes, type Probe, readProbe } from "./probe.ts"
import { runProbe } from "./run-probe.ts"

/** What probing reads and writes. */
export interface ProbingOptions {
  readonly entries: Collection<WorkloadEntry>
  readonly writer: ObjectWriter["Service"]
  /** asks a machine; undefined is a success, text says what failed. Left out: over the network. */
  readonly run?: (address: string, probe: Probe) => Promise<string | undefined>
}

/** So many machines are asked at the same time. */
const atOnce = 256

/**
 * Probes the machines whose entries say so by annotation, and writes condition Healthy when a machine turns. For the
 * leader alone; it ends by interruption.
 */
export const probing = ({ entries, run = runProbe, writer }: ProbingOptions): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const probes = yield* FiberMap.make<string>()
      const permits = yield* Semaphore.make(atOnce)
      const plans = new Map<string, string>()
      const start = yield* FiberMap.runtime(probes)()
      const follow = (key: string, entry: WorkloadEntry | undefined): Effect.Effect<void> => {
        const annotation = entry?.meta.annotations[probeAnnotation]
        // What else changes in an entry, its health first of all, is no reason to begin anew.
        const plan = annotation === undefined ? undefined : `${entry?.spec.address}\n${annotation}`
        if (plan === plans.get(key)) return Effect.void
        if (entry === undefined || annotation === undefined || plan === undefined) {
          plans.delete(key)
          return FiberMap.remove(probes, key)
        }
        plans.set(key, plan)
        const probe = readProbe(annotation)
        if (typeof probe === "string") {
          const told = `WorkloadEntry ${key}: annotation ${probeAnnotation}: ${probe}; its machine is not probed`
          return Effect.andThen(FiberMap.remove(probes, key), Effect.logWarning(told))
        }
        const { address } = entry.spec
        const ask = permits.withPermits(1)(Effect.promise(() => run(address, probe)))
        return Effect.sync(() => void start(key, probeForEver(entry, probe, ask, writer)))
      }
      const all = [...entries.entries()]
      yield* Effect.forEach(all, ([key, entry]) => follow(key, entry), { discard: true })
      const services = yield* Effect.context()
      const unsubscribe = entries.subscribe((changes) => {
        for (const { key, now } of changes) Effect.runForkWith(services)(follow(key, now))
      })
      yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
      return yield* Effect.never
    })
  )

const probeForEver = (
  { meta: { name, namespace } }: WorkloadEntry,
  probe: Probe,
  ask: Effect.Effect<string | undefined>,
  writer: ObjectWriter["Service"]
): Effect.Effect<never> =>
  Effect.gen(function* () {
    let state = noProbes
    // Spread over the period, so that many machines are not asked all at once.
    const jitter = (yield* Random.next) * Math.min(probe.period, 1000)
    yield* Effect.sleep(Duration.millis(probe.initialDelay + jitter))
    const once = Effect.gen(function* () {
      const problem = yield* ask
      const before = state.healthy
      state = afterProbe(state, problem === undefined, probe)
      if (state.healthy === undefined || state.healthy === before) return
      const report = { healthy: state.healthy, message: state.healthy ? "" : (problem ?? "") }
      yield* Effect.logInfo(
        `WorkloadEntry ${objectKey({ namespace, name })} is ${report.healthy ? "healthy" : `unhealthy: ${problem}`}`
      )
      yield* writeHealth(writer, { ...workloadEntryApi, namespace, name }, report)
    })
    return yield* Effect.forever(Effect.andThen(once, Effect.sleep(Duration.millis(probe.period))))
  })

/** Writes a report until it is true, or the entry is gone. */
const writeHealth = (
  writer: ObjectWriter["Service"],
  reference: Parameters<ObjectWriter["Service"]["get"]>[0],
  report: Parameters<typeof withHealth>[1]
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const entry = yield* writer.get(reference)
    const next = entry && withHealth(entry, report, yield* Clock.currentTimeMillis)
    if (next !== undefined) yield* writer.replace(next, "status")
  }).pipe(
    Effect.tapError(({ message }: WriteError) => Effect.logWarning(`${message}. It is tried again.`)),
    Effect.retry(Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")])),
    Effect.ignore
  )
