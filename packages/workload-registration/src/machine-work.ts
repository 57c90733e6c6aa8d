import {
  type HealthReport,
  type ObjectReference,
  type ObjectWriter,
  type ProxyConnection,
  type RawObject,
  type WorkloadGroup,
  WriteError
} from "@istiod-lite/model"
import { Clock, Deferred, Duration, Effect } from "effect"
import { controllerAnnotation } from "./annotations.ts"
import { connectedTo, disconnectedFrom } from "./connection-state.ts"
import { entryFromGroup, type RegistrationRequest } from "./entry-from-group.ts"
import { takesReports, withHealth } from "./health.ts"

/** What the work on a machine's entry needs. */
export interface MachineContext {
  readonly writer: ObjectWriter["Service"]
  /** of this replica */
  readonly identity: string
  readonly group: (namespace: string, name: string) => WorkloadGroup | undefined
}

interface Connect {
  readonly connection: ProxyConnection
  /** told when it is written, or why it never will be */
  readonly done: Deferred.Deferred<void, WriteError>
}

/**
 * What is to be written to one machine's entry, and the writing of it. Events only note what they want to be true; one
 * loop writes, in the order connect, disconnect, health, and tries until it is true or has been overtaken.
 */
export class MachineWork {
  readonly reference: ObjectReference
  readonly #context: MachineContext
  readonly #request: RegistrationRequest | undefined
  readonly #connections = new Map<string, ProxyConnection>()
  #connect: Connect | undefined
  #disconnect: { readonly connectedAt: number; readonly at: number } | undefined
  #report: HealthReport | undefined
  #running = false

  /** @param request undefined: the entry has to be there already */
  constructor(reference: ObjectReference, request: RegistrationRequest | undefined, context: MachineContext) {
    this.reference = reference
    this.#request = request
    this.#context = context
  }

  /** Whether nothing is connected and nothing is left to be written. */
  get isIdle(): boolean {
    return !this.#running && this.#connections.size === 0 && !this.#isPending
  }

  get isConnected(): boolean {
    return this.#connections.size > 0
  }

  get connections(): ReadonlyArray<ProxyConnection> {
    return [...this.#connections.values()]
  }

  /** Notes a connection; what is given tells when it is written. */
  connect(connection: ProxyConnection): Deferred.Deferred<void, WriteError> {
    const done = Deferred.makeUnsafe<void, WriteError>()
    // Who waits for an older connection waits for this one now: its write says the same, and more.
    const older = this.#connect
    if (older !== undefined) Deferred.doneUnsafe(older.done, Effect.void)
    this.#connections.set(connection.id, connection)
    this.#connect = { connection, done }
    this.#disconnect = undefined
    return done
  }

  /** Notes the end of a connection; only the end of the last one is written. */
  disconnect(connection: ProxyConnection, at: number): void {
    if (!this.#connections.delete(connection.id) || this.#connections.size > 0) return
    this.#disconnect = { connectedAt: connection.connectedAt, at }
    this.#report = undefined
  }

  /** Notes that an entry says to be connected here, since a time, and is not. */
  orphan(connectedAt: number, at: number): void {
    if (!this.isConnected) this.#disconnect = { connectedAt, at }
  }

  /** Notes the newest report of a connection that is still there. */
  report(connection: ProxyConnection, report: HealthReport): void {
    if (this.#connections.has(connection.id)) this.#report = report
  }

  /** Writes what has been noted, if nobody does already. Fails never: what cannot be written is told. */
  readonly run: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#running) return Effect.void
    this.#running = true
    return this.#loop
  })

  get #isPending(): boolean {
    return this.#connect !== undefined || this.#disconnect !== undefined || this.#report !== undefined
  }

  get #loop(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      let failures = 0
      while (this.#isPending) {
        const result = yield* Effect.result(this.#write)
        if (result._tag === "Success") {
          failures = 0
          continue
        }
        const error = result.failure
        if (isFinal(error)) {
          yield* Effect.logWarning(`${error.message}. The machine of ${this.#name} is not written.`)
          this.#giveUp(error)
          continue
        }
        if (error.problem === "unavailable" && failures === 0) {
          yield* Effect.logWarning(`${error.message}. It is tried again until it is written.`)
        }
        yield* Effect.sleep(Duration.millis(error.problem === "unavailable" ? pauseAfter(failures++) : 5))
      }
      this.#running = false
    })
  }

  get #name(): string {
    return `WorkloadEntry ${this.reference.namespace}/${this.reference.name}`
  }

  /** One round: reads the entry as it is, and writes the first thing that is not true yet. */
  get #write(): Effect.Effect<void, WriteError> {
    return Effect.gen({ self: this }, function* () {
      const { writer } = this.#context
      const entry = yield* writer.get(this.reference)
      const connect = this.#connect
      if (connect !== undefined) {
        yield* this.#writeConnect(entry, connect.connection)
        if (this.#connect === connect) this.#connect = undefined
        yield* Deferred.succeed(connect.done, undefined)
        return
      }
      const disconnect = this.#disconnect
      if (disconnect !== undefined) {
        const next =
          entry && disconnectedFrom(entry, this.#context.identity, disconnect.connectedAt, disconnect.at)
        if (next !== undefined) {
          yield* writer.replace(next)
          yield* Effect.logInfo(`${this.#name} is disconnected`)
        }
        if (this.#disconnect === disconnect) this.#disconnect = undefined
        return
      }
      const report = this.#report
      if (report === undefined) return
      const isMine = entry?.metadata.annotations?.[controllerAnnotation] === this.#context.identity
      const next =
        entry !== undefined && isMine && takesReports(entry)
          ? withHealth(entry, report, yield* Clock.currentTimeMillis)
          : undefined
      if (next !== undefined) yield* writer.replace(next, "status")
      if (this.#report === report) this.#report = undefined
    })
  }

  #writeConnect(
    entry: RawObject | undefined,
    { connectedAt, proxy }: ProxyConnection
  ): Effect.Effect<void, WriteError> {
    const { group, identity, writer } = this.#context
    if (entry !== undefined) {
      const next = connectedTo(entry, identity, connectedAt)
      return next === undefined
        ? Effect.void
        : Effect.andThen(writer.replace(next), Effect.logInfo(`${this.#name} is connected`))
    }
    const made = this.#request && group(this.#request.namespace, this.#request.group)
    if (this.#request === undefined || made === undefined) {
      const operation = `connect ${this.#name}`
      const detail =
        this.#request === undefined ? "it is not there" : `WorkloadGroup ${this.#request.group} is not there`
      return Effect.fail(new WriteError({ operation, problem: "invalid", detail }))
    }
    const fresh = entryFromGroup(this.#request, proxy, made)
    const next = connectedTo(fresh, identity, connectedAt) ?? fresh
    return Effect.andThen(writer.create(next), Effect.logInfo(`${this.#name} is registered`))
  }

  /** Nothing that is noted can be written: it is forgotten. */
  #giveUp(error: WriteError): void {
    const connect = this.#connect
    this.#connect = undefined
    this.#disconnect = undefined
    this.#report = undefined
    if (connect !== undefined) Deferred.doneUnsafe(connect.done, Effect.fail(error))
  }
}

/** Trying again does not help. */
const isFinal = ({ problem }: WriteError): boolean => problem === "forbidden" || problem === "invalid"

/** Milliseconds between attempts while the API server does not answer. */
const pauseAfter = (failures: number): number => Math.min(5000, 50 * 2 ** Math.min(failures, 10))
