import type { PushRequest, XdsGenerator } from "@istiod-lite/model"
import type { DeltaDiscoveryRequest } from "@istiod-lite/xds-proto"
import type { AdsContext, ServedType, Subscriber } from "./ads-context.ts"
import { AdsStream } from "./ads-stream.ts"
import type { Behind } from "./behind-alarm.ts"
import type { ConnectionInfo } from "./connection-info.ts"
import { FrameCache } from "./frame-cache.ts"
import { InterestIndex } from "./interest-index.ts"
import { deltaProtocol, sotwProtocol } from "./protocol.ts"
import type { SotwMessage } from "./sotw-request-reader.ts"
import type { XdsConnection, XdsStreamHandler } from "./transport.ts"
import { KnownNames } from "./sotw-request-reader.ts"
import { atOnce, type Turns } from "./turns.ts"

/** What the aggregated discovery service needs to know and to ask. */
export interface AdsOptions extends Pick<
  AdsContext,
  "observer" | "now" | "resolve" | "admit" | "reported" | "disconnected"
> {
  readonly generators: ReadonlyArray<XdsGenerator>
  /** Distinguishes this server's versions and nonces from those of others. */
  readonly versionPrefix: string
  /** When streams send what they owe; default: at once. */
  readonly turns?: Turns
  /** Called when the last response that was being written has gone. */
  readonly idle: () => void
}

/** Everybody is admitted, and nobody follows who comes and goes. */
export const admitAll: Pick<AdsOptions, "admit" | "reported" | "disconnected"> = {
  admit: (_, { done }) => done(undefined),
  reported: () => undefined,
  disconnected: () => undefined
}

type AnyStream = AdsStream<SotwMessage> | AdsStream<DeltaDiscoveryRequest>

/**
 * The aggregated discovery service without its transport: all streams, and what a push request means to them.
 * Synchronous and free of Effect; the layer around it brings time, listening and logging.
 */
export class Ads {
  private readonly streams = new Set<AnyStream>()
  private readonly context: AdsContext
  private readonly idle: () => void
  private open = false
  /** counts pushes */
  private pushes = 0
  /** responses that are being written, of those that began since the last push */
  private writes = 0

  constructor(options: AdsOptions) {
    const { admit, disconnected, generators, idle, now, observer, reported, resolve } = options
    const { turns = atOnce, versionPrefix } = options
    this.idle = idle
    this.context = {
      admit,
      disconnected,
      now,
      observer,
      reported,
      resolve,
      turns,
      types: servedTypes(generators),
      frames: new FrameCache(versionPrefix),
      names: new KnownNames(),
      serves: () => this.open,
      writeBegun: () => {
        this.writes++
        return this.pushes
      },
      writeEnded: (push) => {
        if (push === this.pushes && --this.writes === 0) this.idle()
      }
    }
  }

  /**
   * Whether responses are being written that began since the last push. Those of clients that were behind even then do
   * not count: a client that reads slowly, or never, holds up no push.
   */
  get writing(): boolean {
    return this.writes > 0
  }

  /** Takes a new stream of the transport. */
  accept(connection: XdsConnection): XdsStreamHandler {
    const ended = (): void => {
      this.streams.delete(stream)
    }
    const stream: AnyStream =
      connection.protocol === "sotw"
        ? new AdsStream(connection, sotwProtocol, this.context, ended)
        : new AdsStream(connection, deltaProtocol, this.context, ended)
    this.streams.add(stream)
    return stream
  }

  /** Starts to serve: the registries have synced. What was asked until now is answered (S-82). */
  serve(): void {
    this.open = true
    for (const stream of this.streams) stream.flush()
  }

  /** Sends each stream what the request may have changed of what it has. */
  push(request: PushRequest): void {
    this.context.observer.pushed(request.reasons)
    this.pushes++
    this.writes = 0
    const touched = new Set<Subscriber>()
    const first = new Set<Subscriber>()
    for (const stream of this.streams) {
      if (request.full || stream.isOneOf(request.proxies)) {
        stream.resolve()
        touched.add(stream)
      }
    }
    for (const [typeUrl, { generator, interest }] of this.context.types) {
      const scope = request.full ? "all" : (generator.scopeOf?.(request) ?? "all")
      const touch = (stream: Subscriber, names: ReadonlyArray<string> | "all"): void => {
        stream.markChanged(typeUrl, names)
        touched.add(stream)
      }
      if (scope === "all") for (const stream of this.streams) touch(stream, "all")
      else interest.forEachTouched(scope, touch)
      const removals = generator.removalsOf?.(request)
      if (removals === undefined) continue
      interest.forEachTouched(removals, (stream, names) => {
        if (names === "all") return
        stream.markFirst(typeUrl, names)
        first.add(stream)
      })
    }
    for (const stream of first) stream.flush(request.since)
    for (const stream of touched) if (!first.has(stream)) stream.flush(request.since)
  }

  /** Ends every stream, so that the clients connect elsewhere. */
  drain(): void {
    this.open = false
    for (const stream of this.streams) stream.drain()
  }

  /** The streams that have not acknowledged some change. */
  behind(): ReadonlyArray<Behind> {
    return [...this.streams].flatMap((stream) => stream.behind() ?? [])
  }

  /** The open streams as they stand, in the order they came. */
  connections(): ReadonlyArray<ConnectionInfo> {
    return [...this.streams].map((stream) => stream.info())
  }
}

const servedTypes = (generators: ReadonlyArray<XdsGenerator>): ReadonlyMap<string, ServedType> =>
  new Map(
    generators
      .flatMap((generator) => [
        generator,
        ...(generator.companion === undefined ? [] : [generator.companion])
      ])
      .toSorted((a, b) => a.order - b.order)
      .map((generator) => [
        generator.typeUrl,
        { generator, interest: new InterestIndex(generator.subjectOf) }
      ])
  )
