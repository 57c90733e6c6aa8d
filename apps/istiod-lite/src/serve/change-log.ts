import { ServiceDiscovery } from "@istiod-lite/model"
import { type AdsObserver, silentObserver } from "@istiod-lite/xds-server"
import { Effect, Latch, type Scope } from "effect"
import { counted } from "../tables/table.ts"
import { endpointChangeText } from "./endpoint-changes.ts"
import { serviceChangeText } from "./service-changes.ts"

/** Changes and the pushes they cause are told together: pushes that take longer are told without. */
const gatherTime = "50 millis"

/** How many lines one report has before the rest is counted. */
const mostLines = 20

/** What has happened since the last report. */
export class ChangeReport {
  lines: Array<string> = []
  readonly #proxies = new Set<string>()
  #slowest = 0

  /** A proxy has been sent all that a push asked for. */
  pushed(proxy: string, milliseconds: number): void {
    this.#proxies.add(proxy)
    this.#slowest = Math.max(this.#slowest, milliseconds)
  }

  /** The report, and a new one begins. */
  take(): ReadonlyArray<string> {
    const told = this.lines.slice(0, mostLines)
    const more = this.lines.length - told.length
    const push =
      this.#proxies.size === 0
        ? ""
        : `pushed to ${counted(this.#proxies.size, "proxy", "proxies")} in ${this.#slowest < 1 ? "under 1" : this.#slowest.toFixed(0)} ms`
    this.lines = []
    this.#proxies.clear()
    this.#slowest = 0
    if (more > 0) told.push(`… and ${more} more changes`)
    if (push === "" || told.length === 0) return told
    const last = told.at(-1) ?? ""
    return told.length === 1 ? [`${last}, ${push}`] : [...told, push]
  }
}

/** Logs what changes of services and endpoints from now on, to how many proxies it was pushed, and how fast. */
export const tellChanges = (
  report: ChangeReport
): Effect.Effect<never, never, ServiceDiscovery | Scope.Scope> =>
  Effect.gen(function* () {
    const { endpoints, services } = yield* ServiceDiscovery
    const something = Latch.makeUnsafe(false)
    let noted: Array<() => string | undefined> = []
    // Put into words later: who waits for the change comes first.
    const note = <A>(changes: ReadonlyArray<A>, textOf: (change: A) => string | undefined): void => {
      for (const change of changes) noted.push(() => textOf(change))
      Latch.openUnsafe(something)
    }
    const unsubscribes = [
      services.subscribe((changes) => note(changes, serviceChangeText)),
      endpoints.subscribe((changes) => note(changes, endpointChangeText))
    ]
    yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribes.forEach((unsubscribe) => unsubscribe())))
    const tell = Effect.suspend(() => {
      Latch.closeUnsafe(something)
      const lines = noted.flatMap((text) => text() ?? [])
      noted = []
      if (lines.length === 0) return Effect.void
      report.lines.push(...lines)
      return Effect.forEach(report.take(), (line) => Effect.logInfo(line), { discard: true })
    })
    return yield* Latch.await(something).pipe(
      Effect.andThen(Effect.sleep(gatherTime)),
      Effect.andThen(tell),
      Effect.forever
    )
  })

/** Tells the report about pushes. */
export const observePushes = (report: ChangeReport): AdsObserver => ({
  ...silentObserver,
  converged: ({ node }, milliseconds) => report.pushed(node, milliseconds)
})
