import {
  type HealthReport,
  type ObjectReference,
  type ObjectWriter,
  type ProxyConnection,
  type RawObject,
  type WorkloadEntry,
  type WriteError,
  type WriteProblem
} from "@istiod-lite/model"
import { Deferred, Duration, Effect, type Semaphore } from "effect"
import type { Claim } from "./connection-state.ts"
import { isDoubtful, nextWrite, type NextWrite, type TimedReport, type Wish } from "./wish.ts"

/** What the work on a machine's entry needs. */
export interface MachineContext {
  readonly writer: ObjectWriter["Service"]
  /** of this replica */
  readonly identity: string
  /** so many entries are written at the same time */
  readonly permits: Semaphore.Semaphore
}

/** Makes the entry of a machine that connects; text says why there can be none. */
export type MakeEntry = (connection: ProxyConnection) => RawObject | string

/**
 * One machine, as this replica knows it, and the writing of its entry. Events only change what is wished; one loop
 * compares that with the entry, writes the difference and tries again until there is none.
 */
export class MachineWork {
  readonly reference: ObjectReference
  readonly #context: MachineContext
  readonly #make: MakeEntry
  readonly #connections = new Map<string, ProxyConnection>()
  readonly #waiting = new Map<string, Deferred.Deferred<void, string>>()
  #ended: { readonly claim: Claim; readonly at: number } | undefined
  #report: TimedReport | undefined
  /** its lease has ended: no entry is made until the machine connects again */
  #expired = false
  #dirty = false
  #running = false

  constructor(reference: ObjectReference, make: MakeEntry, context: MachineContext) {
    this.reference = reference
    this.#make = make
    this.#context = context
  }

  /** Whether nothing is left to be written. */
  get isWritten(): boolean {
    return !this.#running && !this.#dirty
  }

  /** Whether nothing is connected, either. */
  get isIdle(): boolean {
    return this.isWritten && this.#connections.size === 0
  }

  get connections(): ReadonlyArray<ProxyConnection> {
    return [...this.#connections.values()]
  }

  /** Notes a connection; what is given tells when the entry says so, or why it never will. */
  connect(connection: ProxyConnection): Deferred.Deferred<void, string> {
    const done = Deferred.makeUnsafe<void, string>()
    this.#waiting.set(connection.id, done)
    this.#connections.set(connection.id, connection)
    this.#ended = undefined
    this.#expired = false
    this.#dirty = true
    return done
  }

  /** Notes the end of a connection; only the end of the last one is written. */
  disconnect(connection: ProxyConnection, at: number): void {
    const done = this.#waiting.get(connection.id)
    if (done !== undefined) Deferred.doneUnsafe(done, Effect.void)
    this.#waiting.delete(connection.id)
    if (!this.#connections.delete(connection.id) || this.#connections.size > 0) return
    // All that this process wrote is over, whatever time it says.
    this.#end(Number.POSITIVE_INFINITY, at)
  }

  /** Notes that an entry says to be connected here, since a time, and is not. */
  orphan(connectedAt: number, at: number): void {
    if (this.#connections.size === 0) this.#end(connectedAt, at)
  }

  /** Notes the newest report of a connection that is still there. */
  report(connection: ProxyConnection, report: HealthReport, at: number): void {
    if (!this.#connections.has(connection.id)) return
    this.#report = { ...report, at }
    this.#dirty = true
  }

  /** Notes what is observed of the entry; whether there is something to do about it. */
  observe(entry: WorkloadEntry | undefined, hasExpired = false): boolean {
    if (entry === undefined && hasExpired) this.#expired = true
    if (isDoubtful(entry, { connection: this.#connection, report: this.#report })) this.#dirty = true
    return this.#dirty
  }

  /** Writes until the wish is true, if nobody does already. Fails never: what cannot be written is told. */
  readonly run: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#running) return Effect.void
    this.#running = true
    return this.#loop
  })

  get #loop(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      let failures = 0
      while (this.#dirty) {
        this.#dirty = false
        const result = yield* Effect.result(this.#context.permits.withPermits(1)(this.#fulfil))
        if (result._tag === "Success") {
          failures = 0
          continue
        }
        const error = result.failure
        if (isFinal(error.problem)) {
          yield* this.#refuse(error.message)
          continue
        }
        this.#dirty = true
        const isSilent = error.problem === "unavailable"
        if (isSilent && failures === 0) {
          yield* Effect.logWarning(`${error.message}. It is tried again until it is written.`)
        }
        yield* Effect.sleep(Duration.millis(isSilent ? pauseAfter(failures++) : 5))
      }
      // In one step with the look at what is left: an event in between would find nobody.
      this.#running = false
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => (this.#running = false))))
  }

  /** Reads the entry, and writes until it says what is wished. */
  get #fulfil(): Effect.Effect<void, WriteError> {
    return Effect.gen({ self: this }, function* () {
      let entry = yield* this.#context.writer.get(this.reference)
      for (;;) {
        const wish = this.#wish
        const next = nextWrite(entry, wish)
        if (next.write === "none") {
          if (next.refused === undefined) this.#settle(wish)
          else yield* this.#refuse(next.refused)
          return
        }
        entry = yield* this.#write(next)
        yield* Effect.logInfo(`${this.#name} ${toldOf(next, wish)}`)
      }
    })
  }

  #write({ object, write }: Exclude<NextWrite, { write: "none" }>): Effect.Effect<RawObject, WriteError> {
    const { writer } = this.#context
    if (write === "create") return writer.create(object)
    return write === "replace" ? writer.replace(object) : writer.replace(object, "status")
  }

  get #wish(): Wish {
    const newest = this.connections.at(-1)
    return {
      namespace: this.reference.namespace,
      connection: this.#connection,
      report: this.#report,
      fresh: () =>
        this.#expired
          ? "its lease has ended"
          : newest === undefined
            ? "nothing is connected"
            : this.#make(newest)
    }
  }

  get #connection(): Wish["connection"] {
    const newest = this.connections.at(-1)
    if (newest !== undefined) {
      const { connectedAt, identities } = newest
      const claim = { controller: this.#context.identity, connectedAt }
      return { state: "connected", claim, identities }
    }
    return this.#ended === undefined ? { state: "nothing" } : { state: "ended", ...this.#ended }
  }

  get #name(): string {
    return `WorkloadEntry ${this.reference.namespace}/${this.reference.name}`
  }

  #end(connectedAt: number, at: number): void {
    this.#ended = { claim: { controller: this.#context.identity, connectedAt }, at }
    this.#dirty = true
  }

  /** The wish is true. An end that is written is over; what was reported before it says nothing any more. */
  #settle({ connection }: Wish): void {
    for (const done of this.#waiting.values()) Deferred.doneUnsafe(done, Effect.void)
    this.#waiting.clear()
    if (connection.state !== "ended") return
    this.#ended = undefined
    this.#report = undefined
  }

  /** The wish may not come true. Streams that wait for it end; those that live on are as if they were of no machine. */
  #refuse(reason: string): Effect.Effect<void> {
    const refused = [...this.#waiting]
    this.#waiting.clear()
    this.#ended = undefined
    for (const [id, done] of refused) {
      this.#connections.delete(id)
      Deferred.doneUnsafe(done, Effect.fail(reason))
    }
    if (this.#connections.size > 0) this.#dirty = refused.length > 0
    return refused.length > 0 ? Effect.void : Effect.logWarning(`${this.#name} is not written: ${reason}`)
  }
}

const toldOf = ({ write }: NextWrite, { connection, report }: Wish): string => {
  if (write === "create") return "is registered"
  if (write === "replace") return connection.state === "connected" ? "is connected" : "is disconnected"
  return report?.healthy === true ? "is healthy" : `is unhealthy: ${report?.message ?? ""}`
}

/** Trying again does not help. */
const isFinal = (problem: WriteProblem): boolean => problem === "forbidden" || problem === "invalid"

/** Milliseconds between attempts while the API server does not answer. */
const pauseAfter = (failures: number): number => Math.min(5000, 50 * 2 ** Math.min(failures, 10))
