import { Duration, Effect, Metric, type Scope } from "effect"
import { metrics } from "./metrics.ts"
import type { StreamName } from "./observer.ts"
import { printable } from "./printable.ts"

/** A stream that has not acknowledged some change. */
export interface Behind {
  readonly stream: StreamName
  /** when the oldest such change was observed, in epoch milliseconds */
  readonly since: number
  /** what it does, or does not do */
  readonly why: string
}

/** How often clients are looked at. */
const every = Duration.seconds(1)

/** So many are named at once; the metrics count all. */
const mostNamed = 10

/**
 * Warns of clients that do not take changes in: once when one has been behind for longer than `threshold`, and once when it
 * has caught up or is gone. Keeps the metrics of how many there are and how old the oldest change is.
 *
 * @param look who is behind now
 * @param now the time, in epoch milliseconds
 */
export const watchBehind = (
  threshold: Duration.Input,
  look: () => ReadonlyArray<Behind>,
  now: () => number
): Effect.Effect<never, never, Scope.Scope> => {
  const late = Duration.toMillis(threshold)
  const told = new Set<string>()
  const tell = Effect.gen(function* () {
    const at = now()
    const all = look()
    const behind = all.filter(({ since }) => at - since > late)
    const oldest = Math.min(at, ...all.map(({ since }) => since))
    yield* Metric.update(metrics.behind, behind.length)
    yield* Metric.update(metrics.oldestChange, (at - oldest) / 1000)
    const names = new Set(behind.map(({ stream }) => keyOf(stream)))
    const news = behind.filter(({ stream }) => !told.has(keyOf(stream)))
    const recovered = [...told].filter((name) => !names.has(name))
    for (const { stream } of news) told.add(keyOf(stream))
    for (const name of recovered) told.delete(name)
    for (const { since, stream, why } of news.slice(0, mostNamed))
      yield* Effect.logWarning(
        `${nameOf(stream)} has not acknowledged a change for ${((at - since) / 1000).toFixed(0)} s: ${why}`
      )
    if (news.length > mostNamed)
      yield* Effect.logWarning(`… and ${news.length - mostNamed} more clients have not acknowledged changes`)
    if (recovered.length > 0)
      yield* Effect.logInfo(
        `${recovered.length} ${recovered.length === 1 ? "client has" : "clients have"} caught up, or gone`
      )
  })
  return Effect.forever(Effect.andThen(Effect.sleep(every), tell))
}

const keyOf = ({ node, peer }: StreamName): string => `${node} ${peer}`

const nameOf = ({ node, peer }: StreamName): string => (node === "" ? peer : `${printable(node)} at ${peer}`)
