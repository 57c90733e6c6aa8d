import * as NodeDns from "@effect/platform-node/NodeDns"
import { DiscoveryGraph, type XdsUpdater } from "@istiod-lite/model"
import {
  layerPushPlanner,
  layerServiceDiscoveryDns,
  makeUnsynced,
  untilSynced
} from "@istiod-lite/registry-aggregate"
import { grpcJsTransport, XdsServer, type XdsServerOptions } from "@istiod-lite/xds-server"
import { type Duration, Effect, Layer, Option } from "effect"
import type { PortError } from "../admin/admin-error.ts"
import { layerAdminServer } from "../admin/admin-server.ts"
import { layerSelfAudit } from "../audit/layer-self-audit.ts"
import type { ApiServerSource } from "../compose/api-server-source.ts"
import { fileSource } from "../compose/file-source.ts"
import { type Discovery, layerDiscovery } from "../compose/layer-discovery.ts"
import { loadConfig } from "../compose/load-config.ts"
import { controlPlane, type Plugins, type SourcePlugin } from "../compose/plugins.ts"
import { namesApiServer, namesFiles, type SourceOptions } from "../compose/source-options.ts"
import { layerLocalQueries } from "../query/local-queries.ts"
import { layerRecorder } from "../record/layer-recorder.ts"
import type { RecordingError } from "../record/recording-file.ts"
import { WrongUse } from "../query/query-error.ts"
import { ChangeReport, observePushes, tellChanges } from "./change-log.ts"
import { layerFaultLog } from "./fault-log.ts"
import { layerStaleness } from "./layer-staleness.ts"
import { layerXds } from "./layer-xds.ts"
import { layerLineLogger } from "./log-line.ts"
import { layerNoRegistration } from "./no-registration.ts"
import { printDiscovered } from "./print-discovered.ts"
import { tellWaiting } from "./waiting-log.ts"

export interface ServeOptions extends SourceOptions {
  readonly xdsPort: number
  readonly adminPort: number
  readonly listen: string
  readonly config: Option.Option<string>
  /** file to which the inputs are recorded */
  readonly record: Option.Option<string>
  /** how often what proxies have is audited; zero: never */
  readonly auditInterval: Duration.Duration
  /** how long a machine may be away before its entry goes */
  readonly gracePeriod: Duration.Duration
  readonly tlsPort: number
  readonly tlsCert: Option.Option<string>
  readonly tlsKey: Option.Option<string>
  readonly tlsClientCa: Option.Option<string>
}

/** Runs a control plane until it is interrupted; then streams are drained, and everything is let go, last built first. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const plugins = Option.isSome(options.config) ? yield* loadConfig(options.config.value) : controlPlane()
  const aggregate = layerServiceDiscoveryDns.pipe(Layer.provide(NodeDns.layer))
  const serving = layerServing(plugins, options)
  if (!namesApiServer(options)) {
    const sources = yield* sourceOf(plugins, options)
    const discovery = layerDiscovery(plugins, sources, aggregate)
    return yield* launch(serving.pipe(Layer.provide(layerNoRegistration), Layer.provide(discovery)))
  }
  // What it takes to talk to an API server is loaded only when there is one.
  const { apiServerSource } = yield* Effect.promise(() => import("../compose/api-server-source.ts"))
  const { layerMachines } = yield* Effect.promise(() => import("./layer-machines.ts"))
  const discovery = layerDiscovery<ApiServerSource>(plugins, apiServerSource(options), aggregate)
  return yield* launch(serving.pipe(Layer.provide(layerMachines(options)), Layer.provide(discovery)))
})

const launch = <E>(served: Layer.Layer<XdsServer | XdsUpdater, E>): Effect.Effect<never, E> =>
  Layer.launch(Layer.provide(served, layerLineLogger))

/** Files that are named on the command line come before the sources of a config. */
const sourceOf = (plugins: Plugins, options: ServeOptions): Effect.Effect<SourcePlugin, WrongUse> => {
  if (namesFiles(options)) return Effect.succeed(fileSource(options, true))
  if (plugins.sources !== undefined) return Effect.succeed(plugins.sources)
  const message =
    "Nothing to serve: name objects with --manifests PATH, an API server with --kubeconfig FILE, or a config that has sources."
  return Effect.fail(new WrongUse({ message }))
}

/** The port with TLS, if files for it are named. */
const tlsListener = ({
  listen,
  tlsCert,
  tlsClientCa,
  tlsKey,
  tlsPort
}: ServeOptions): Effect.Effect<XdsServerOptions["further"], WrongUse> => {
  if (Option.isNone(tlsCert) && Option.isNone(tlsKey)) {
    return Option.isNone(tlsClientCa)
      ? Effect.succeed([])
      : Effect.fail(
          new WrongUse({ message: "--tls-client-ca FILE needs --tls-cert FILE and --tls-key FILE." })
        )
  }
  if (Option.isNone(tlsCert) || Option.isNone(tlsKey)) {
    return Effect.fail(new WrongUse({ message: "TLS needs both --tls-cert FILE and --tls-key FILE." }))
  }
  const clientCa = Option.getOrUndefined(tlsClientCa)
  const tls = { cert: tlsCert.value, key: tlsKey.value, clientCa }
  return Effect.succeed([{ address: { host: listen, port: tlsPort }, transport: grpcJsTransport({ tls }) }])
}

/** The sides that face proxies and people, over a discovery that may still be reading. */
const layerServing = (
  plugins: Plugins,
  options: ServeOptions
): Layer.Layer<XdsServer | XdsUpdater, PortError | RecordingError | WrongUse, Discovery> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { adminPort, auditInterval, listen, record, xdsPort } = options
      const further = yield* tlsListener(options)
      const graph = yield* DiscoveryGraph
      const unsynced = yield* makeUnsynced
      const ready = untilSynced(graph, unsynced)
      const report = new ChangeReport()
      const told = Layer.effectDiscard(
        Effect.raceFirst(ready, tellWaiting(unsynced)).pipe(
          Effect.andThen(printDiscovered),
          Effect.andThen(tellChanges(report)),
          // Telling is not serving: a defect there is told, and serving goes on.
          Effect.tapCause((cause) => Effect.logError("Cannot tell what changes", cause)),
          Effect.forkScoped({ startImmediately: true })
        )
      )
      const xds = layerXds(plugins, {
        host: listen,
        port: xdsPort,
        ready,
        further,
        observers: [observePushes(report)]
      })
      const admin = layerAdminServer({ host: listen, port: adminPort, missing: unsynced }).pipe(
        Layer.provide(
          Layer.unwrap(Effect.map(XdsServer, ({ connections }) => layerLocalQueries(connections)))
        )
      )
      const recorder = Option.isSome(record) ? layerRecorder(record.value) : Layer.empty
      const audited = Layer.unwrap(
        Effect.map(XdsServer, ({ connections }) =>
          layerSelfAudit({ interval: auditInterval, plugins, connections })
        )
      )
      // Told last, when nothing can fail any more.
      return Layer.mergeAll(layerFaultLog, layerStaleness, told, recorder, audited).pipe(
        Layer.provideMerge(Layer.merge(layerPushPlanner, admin)),
        Layer.provideMerge(xds)
      )
    })
  )
