import {
  AuthenticationError,
  type NodeIdentity,
  type Peer,
  ProxyAuthenticator,
  type ProxyConnection,
  ProxyLifecycle,
  ProxyResolver,
  timeOf,
  XdsGenerators,
  XdsUpdater
} from "@istiod-lite/model"
import {
  Cause,
  Clock,
  Context,
  type Duration,
  Effect,
  Exit,
  FiberSet,
  Layer,
  LogLevel,
  References
} from "effect"
import { makeActivityLog } from "./activity-log.ts"
import { Ads } from "./ads.ts"
import { watchBehind } from "./behind-alarm.ts"
import type { ConnectionInfo } from "./connection-info.ts"
import { debugObserver } from "./debug-log.ts"
import type { BindError } from "./errors.ts"
import { http2Transport } from "./http2-transport.ts"
import { metricsObserver } from "./metrics.ts"
import { type AdsObserver, observeAll } from "./observer.ts"
import { adaptivePacing, makePushQueue, type PushPacing } from "./push-queue.ts"
import { Serving } from "./serving.ts"
import type { ListenAddress, XdsConnection, XdsStreamHandler, XdsTransport } from "./transport.ts"
import { FairTurns } from "./turns.ts"

/** How an xDS server is run. */
export interface XdsServerOptions extends ListenAddress {
  /** Nothing is served before this ends: the registries have synced (S-82). Requests are taken in meanwhile. */
  readonly ready: Effect.Effect<void>
  /** When pushes start. */
  readonly pacing: PushPacing
  /** What carries the streams. */
  readonly transport: XdsTransport
  /** Where it listens besides, such as a port with TLS. */
  readonly further: ReadonlyArray<{ readonly address: ListenAddress; readonly transport: XdsTransport }>
  /** Told of what happens on the streams, besides metrics and log. */
  readonly observers: ReadonlyArray<AdsObserver>
  /** After what time without an acknowledgement of a change the log warns of a client. */
  readonly behindAlarm: Duration.Input
}

/** Istio's port on loopback, plaintext, ready at once, pushing without waiting. */
export const xdsServerDefaults = (): XdsServerOptions => ({
  host: "127.0.0.1",
  port: 15010,
  ready: Effect.void,
  pacing: adaptivePacing,
  transport: http2Transport(),
  further: [],
  observers: [],
  behindAlarm: "30 seconds"
})

/**
 * The aggregated discovery service on a port, state-of-the-world and delta.
 *
 * It serves the types of `XdsGenerators`, pushes what `XdsUpdater` is told, and drains when its scope closes: every
 * stream ends with UNAVAILABLE, so that clients connect elsewhere and keep what they have.
 */
export class XdsServer extends Context.Service<
  XdsServer,
  {
    /** Where it listens; the real port if it was told to take a free one. */
    readonly address: ListenAddress
    /** Where it listens besides, in the order of the options. */
    readonly further: ReadonlyArray<ListenAddress>
    /** The open streams as they stand. */
    readonly connections: () => ReadonlyArray<ConnectionInfo>
  }
>()("@istiod-lite/xds-server/XdsServer") {
  /** The server and the sink of its push requests. */
  static readonly layer = (
    options: Partial<XdsServerOptions> = {}
  ): Layer.Layer<XdsServer | XdsUpdater, BindError, XdsGenerators> =>
    Layer.effectContext(make({ ...xdsServerDefaults(), ...options }))
}

const make = Effect.fn("XdsServer.make")(function* (options: XdsServerOptions) {
  const generators = yield* XdsGenerators
  const resolve = yield* ProxyResolver
  const { authenticate } = yield* ProxyAuthenticator
  const lifecycle = yield* ProxyLifecycle
  const clock = yield* Clock.Clock
  const fork = yield* FiberSet.makeRuntime()
  const serving = new Serving()
  const now = (): number => timeOf(clock)
  let connectionsSoFar = 0
  const nextConnectionId = (): string =>
    `${clock.currentTimeMillisUnsafe().toString(36)}-${++connectionsSoFar}`

  const observers = [metricsObserver(yield* Effect.context()), yield* makeActivityLog, ...options.observers]
  // Asked once: what nobody reads should not cost a fiber per message.
  const debug = LogLevel.isLessThanOrEqualTo(yield* References.MinimumLogLevel, "Debug")

  const ads: Ads = new Ads({
    generators,
    resolve,
    now,
    observer: observeAll(debug ? [...observers, debugObserver(fork)] : observers),
    versionPrefix: clock.currentTimeMillisUnsafe().toString(36),
    idle: () => queue.idle(),
    turns: new FairTurns(),
    reported: lifecycle.reported,
    disconnected: lifecycle.disconnected,
    admit: (candidate, { begun, done }) => {
      const { node, peer } = candidate
      fork(
        Effect.exit(
          authenticate(peer, node).pipe(
            Effect.tapError((refusal) => Effect.sync(() => lifecycle.refused(refusal))),
            Effect.flatMap((identities) => {
              const connection: ProxyConnection = { ...candidate, id: nextConnectionId(), identities }
              return begun(connection) ? lifecycle.connected(connection) : Effect.void
            })
          )
        ).pipe(
          Effect.map((exit) => done(Exit.isSuccess(exit) ? undefined : refusalOf(exit.cause, peer, node))),
          Effect.catchCause((cause) =>
            Effect.logError(`Cannot take node ${node.id} from ${peer.address}`, cause)
          )
        )
      )
    }
  })
  const queue = yield* makePushQueue(options.pacing, {
    push: (request) => ads.push(request),
    writing: () => ads.writing
  })
  const accept = (connection: XdsConnection): XdsStreamHandler => ads.accept(connection)
  const address = yield* options.transport.listen(options, accept, serving)
  const further = yield* Effect.forEach(options.further, (one) =>
    one.transport.listen(one.address, accept, serving)
  )
  // Last acquired, so first released: streams are told to go before the transport waits for them.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      serving.set(false)
      ads.drain()
    })
  )
  for (const { host, port } of [address, ...further]) yield* Effect.logInfo(`xDS listens on ${host}:${port}`)
  yield* Effect.forkScoped(
    Effect.andThen(
      options.ready,
      Effect.sync(() => {
        ads.serve()
        serving.set(true)
      })
    )
  )
  yield* Effect.forkScoped(watchBehind(options.behindAlarm, () => ads.behind(), now))
  return Context.mergeAll(
    Context.make(XdsServer, { address, further, connections: () => ads.connections() }),
    Context.make(XdsUpdater, { push: queue.push })
  )
})

/** Why a node is not accepted; an authenticator that breaks accepts nobody. */
const refusalOf = (
  cause: Cause.Cause<AuthenticationError>,
  peer: Peer,
  node: NodeIdentity
): AuthenticationError => {
  const error = Cause.squash(cause)
  return error instanceof AuthenticationError
    ? error
    : new AuthenticationError({ peer: peer.address, node: node.id, reason: "the authenticator failed" })
}
