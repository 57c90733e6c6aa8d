import type { Batch, History, SimulatedEvent } from "./history.ts"
import { minimize } from "./minimize.ts"
import { type HistoryFailure, playHistory, type SimulationHooks } from "./play-history.ts"

/** A history that fails, with how it does. */
export interface FailingHistory {
  readonly history: History
  readonly failure: HistoryFailure
}

interface Placed {
  readonly batch: Batch
  readonly event: SimulatedEvent
}

/** The fewest batches and events of a failing history that still fail, with batches as plain as they may be. */
export const shrinkHistory = (
  { failure, history }: FailingHistory,
  hooks: () => SimulationHooks = () => ({})
): FailingHistory => {
  const failureOf = (batches: ReadonlyArray<Batch>) => playHistory({ ...history, batches }, hooks())
  // Of what fails otherwise one would learn about another fault.
  const fails = (batches: ReadonlyArray<Batch>): boolean =>
    failureOf(batches)?.difference.what === failure.difference.what

  const reached = history.batches.slice(0, failure.batch + 1)
  const fewer = minimize(reached, fails)
  const placed = fewer.flatMap((batch): ReadonlyArray<Placed> =>
    batch.events.map((event) => ({ batch, event }))
  )
  const smaller = batchesOf(minimize(placed, (part) => fails(batchesOf(part))))
  const plain = smaller.map((_, i) => i).reduce((batches, i) => plainest(batches, i, fails), smaller)
  const shrunk = plain.map((_, i) => i).reduce((batches, i) => sparsest(batches, i, fails), plain)
  return { history: { ...history, batches: shrunk }, failure: failureOf(shrunk) ?? failure }
}

/** The events in the batches that they are placed in. */
const batchesOf = (placed: ReadonlyArray<Placed>): ReadonlyArray<Batch> =>
  [...Map.groupBy(placed, ({ batch }) => batch)].map(([batch, members]) => ({
    ...batch,
    events: members.map(({ event }) => event)
  }))

/** Switches off what one batch does not need. */
const plainest = (
  batches: ReadonlyArray<Batch>,
  position: number,
  fails: (batches: ReadonlyArray<Batch>) => boolean
): ReadonlyArray<Batch> => {
  const plainer: ReadonlyArray<Partial<Batch>> = [{ stalled: [] }, { eager: false }, { together: false }]
  return plainer.reduce((current, change) => {
    const tried = current.map((batch, i) => (i === position ? { ...batch, ...change } : batch))
    return fails(tried) ? tried : current
  }, batches)
}

/** Leaves out what the replacements in one batch need not find. */
const sparsest = (
  batches: ReadonlyArray<Batch>,
  position: number,
  fails: (batches: ReadonlyArray<Batch>) => boolean
): ReadonlyArray<Batch> =>
  (batches[position]?.events ?? []).reduce((current, event, i) => {
    if (event.action !== "replaceCluster") return current
    const holding = (manifests: typeof event.manifests): ReadonlyArray<Batch> =>
      current.map((batch, at) =>
        at === position ? { ...batch, events: batch.events.with(i, { ...event, manifests }) } : batch
      )
    return holding(minimize(event.manifests, (part) => fails(holding(part))))
  }, batches)
