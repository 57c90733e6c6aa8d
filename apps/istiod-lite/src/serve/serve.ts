import * as NodeDns from "@effect/platform-node/NodeDns"
import { DiscoveryGraph, type XdsUpdater } from "@istiod-lite/model"
import {
  layerPushPlanner,
  layerServiceDiscoveryDns,
  makeUnsynced,
  untilSynced
} from "@istiod-lite/registry-aggregate"
import { XdsServer } from "@istiod-lite/xds-server"
import { type Duration, Effect, Layer, Option } from "effect"
import type { PortError } from "../admin/admin-error.ts"
import { layerAdminServer } from "../admin/admin-server.ts"
import { layerSelfAudit } from "../audit/layer-self-audit.ts"
import { fileSource } from "../compose/file-source.ts"
import { type Discovery, layerDiscovery } from "../compose/layer-discovery.ts"
import { loadConfig } from "../compose/load-config.ts"
import { controlPlane, type Plugins, type SourcePlugin } from "../compose/plugins.ts"
import { namesObjects, type SourceOptions } from "../compose/source-options.ts"
import { layerLocalQueries } from "../query/local-queries.ts"
import { layerRecorder } from "../record/layer-recorder.ts"
import type { RecordingError } from "../record/recording-file.ts"
import { WrongUse } from "../query/query-error.ts"
import { ChangeReport, observePushes, tellChanges } from "./change-log.ts"
import { layerFaultLog } from "./fault-log.ts"
import { layerStaleness } from "./layer-staleness.ts"
import { layerXds } from "./layer-xds.ts"
import { layerLineLogger } from "./log-line.ts"
import { printDiscovered } from "./print-discovered.ts"

export interface ServeOptions extends SourceOptions {
  readonly xdsPort: number
  readonly adminPort: number
  readonly listen: string
  readonly config: Option.Option<string>
  /** file to which the inputs are recorded */
  readonly record: Option.Option<string>
  /** how often what proxies have is audited; zero: never */
  readonly auditInterval: Duration.Duration
}

/** Runs a control plane until it is interrupted; then streams are drained, and everything is let go, last built first. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const plugins = Option.isSome(options.config) ? yield* loadConfig(options.config.value) : controlPlane()
  const sources = yield* sourceOf(plugins, options)
  const aggregate = layerServiceDiscoveryDns.pipe(Layer.provide(NodeDns.layer))
  return yield* layerServing(plugins, options).pipe(
    Layer.provide(layerDiscovery(plugins, sources, aggregate)),
    Layer.provide(layerLineLogger),
    Layer.launch
  )
})

/** Files that are named on the command line come before the sources of a config. */
const sourceOf = (plugins: Plugins, options: ServeOptions): Effect.Effect<SourcePlugin, WrongUse> => {
  if (namesObjects(options)) return Effect.succeed(fileSource(options, true))
  if (plugins.sources !== undefined) return Effect.succeed(plugins.sources)
  const message = "Nothing to serve: name objects with --manifests PATH, or a config that has sources."
  return Effect.fail(new WrongUse({ message }))
}

/** The sides that face proxies and people, over a discovery that may still be reading. */
const layerServing = (
  plugins: Plugins,
  { adminPort, auditInterval, listen, record, xdsPort }: ServeOptions
): Layer.Layer<XdsServer | XdsUpdater, PortError | RecordingError, Discovery> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const unsynced = yield* makeUnsynced
      const ready = untilSynced(graph, unsynced)
      const report = new ChangeReport()
      const told = Layer.effectDiscard(
        ready.pipe(
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
