import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Duration, Effect, Layer, Metric } from "effect"
import type { Discovery } from "../compose/layer-discovery.ts"
import type { Plugins } from "../compose/plugins.ts"
import { counted } from "../tables/table.ts"
import { audit } from "./audit.ts"
import { auditMetrics } from "./audit-metrics.ts"
import { describeDrifts } from "./describe-drift.ts"
import type { Drift } from "./drift.ts"
import { subscribedNames } from "./held-assignments.ts"
import { makeRunning } from "./rebuild.ts"
import { inTurn, Rotation } from "./rotation.ts"

/** What is audited, and how often. */
export interface SelfAuditOptions {
  readonly interval: Duration.Duration
  readonly plugins: Plugins
  readonly connections: () => ReadonlyArray<ConnectionInfo>
}

/** How much one audit looks at: names, and streams that may hold them. The others have their turn later. */
const mostNames = 25
const mostStreams = 200

/** How much is told of one audit before the rest is only counted. */
const mostLines = 10

/**
 * Audits for as long as the scope lives: after each interval some of the names, in turn, as some of the streams hold
 * them. Drift is logged and counted; nothing is repaired. An interval of zero audits nothing.
 */
export const layerSelfAudit = ({
  connections,
  interval,
  plugins
}: SelfAuditOptions): Layer.Layer<never, never, Discovery> => {
  const streams = (round: number) => inTurn(connections(), mostStreams, round)
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const running = Duration.isZero(interval) ? undefined : yield* makeRunning(plugins)
      if (running === undefined) return
      const names = new Rotation()
      const once = Effect.gen(function* () {
        const sample = names.take(mostNames, (round) => subscribedNames(streams(round)))
        const { checked, drifts } = yield* audit(running, sample, () => streams(names.round))
        yield* Metric.update(auditMetrics.checked, checked)
        yield* tell(drifts)
      }).pipe(
        timed,
        // A fault of the audit is told, and does not end it: the next one may succeed.
        Effect.catchCause((cause) =>
          Effect.andThen(Metric.update(auditMetrics.failures, 1), Effect.logError("Cannot audit", cause))
        )
      )
      yield* Effect.sleep(interval).pipe(Effect.andThen(once), Effect.forever, Effect.forkScoped)
    })
  )
}

const timed = <E, R>(work: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Effect.timed(work), ([duration]) =>
    Metric.update(auditMetrics.duration, Duration.toSeconds(duration))
  )

const kinds: ReadonlyArray<Drift["kind"]> = ["derived", "unsent"]

const tell = (drifts: ReadonlyArray<Drift>): Effect.Effect<void> =>
  Effect.gen(function* () {
    // Both kinds, so that monitoring sees that there is none.
    for (const kind of kinds) {
      const found = drifts.filter((drift) => drift.kind === kind)
      yield* Metric.update(Metric.withAttributes(auditMetrics.drift, { kind }), found.length)
    }
    const lines = describeDrifts(drifts)
    for (const line of lines.slice(0, mostLines)) yield* Effect.logError(line)
    const more = lines.length - mostLines
    if (more > 0) yield* Effect.logError(`Audit: and ${counted(more, "more assignment")}`)
  })
