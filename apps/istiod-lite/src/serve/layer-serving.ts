import { DiscoveryGraph, type XdsUpdater } from "@istiod-lite/model"
import { layerPushPlanner, makeUnsynced, untilSynced } from "@istiod-lite/registry-aggregate"
import { XdsServer, type XdsServerOptions } from "@istiod-lite/xds-server"
import { Effect, Layer, Option } from "effect"
import type { PortError } from "../admin/admin-error.ts"
import { layerAdminServer } from "../admin/admin-server.ts"
import { layerSelfAudit } from "../audit/layer-self-audit.ts"
import type { Discovery } from "../compose/layer-discovery.ts"
import type { Plugins } from "../compose/plugins.ts"
import { namesApiServer } from "../compose/source-options.ts"
import { layerLocalQueries } from "../query/local-queries.ts"
import { WrongUse } from "../query/query-error.ts"
import type { RecordingError } from "../record/recording-file.ts"
import { ChangeReport, observePushes, tellChanges } from "./change-log.ts"
import { collectGarbage } from "./collect-garbage.ts"
import { layerStaleness } from "./layer-staleness.ts"
import { endpointGenerators, layerXds } from "./layer-xds.ts"
import { pacingOf } from "./pacing.ts"
import { printDiscovered } from "./print-discovered.ts"
import type { ServeOptions } from "./serve-options.ts"
import { transports } from "./transports.ts"
import { tellWaiting } from "./waiting-log.ts"

/** The port with TLS, if files for it are named. */
const tlsListener = ({
  listen,
  tlsCert,
  tlsClientCa,
  tlsKey,
  tlsPort,
  xdsTransport
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
  return Effect.succeed([
    { address: { host: listen, port: tlsPort }, transport: transports[xdsTransport]({ tls }) }
  ])
}

/** The sides that face proxies and people, over a discovery that may still be reading. */
export const layerServing = (
  given: Plugins,
  options: ServeOptions
): Layer.Layer<XdsServer | XdsUpdater, PortError | RecordingError | WrongUse, Discovery> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { adminPort, auditInterval, listen, record, xdsPort, xdsTransport } = options
      const plugins = { ...given, generators: given.generators ?? endpointGenerators(options.ledsThreshold) }
      const further = yield* tlsListener(options)
      const pacing = yield* pacingOf(options.pacing)
      const graph = yield* DiscoveryGraph
      const unsynced = yield* makeUnsynced
      const ready = untilSynced(graph, unsynced)
      const report = new ChangeReport()
      const told = Layer.effectDiscard(
        Effect.raceFirst(ready, tellWaiting(unsynced)).pipe(
          Effect.andThen(printDiscovered),
          Effect.andThen(collectGarbage),
          Effect.andThen(tellChanges(report)),
          // Telling is not serving: a defect there is told, and serving goes on.
          Effect.tapCause((cause) => Effect.logError("Cannot tell what changes", cause)),
          Effect.forkScoped({ startImmediately: true })
        )
      )
      const xds = layerXds(plugins, {
        host: listen,
        port: xdsPort,
        transport: transports[xdsTransport](),
        ready,
        pacing,
        behindAlarm: options.behindAlarm,
        further,
        observers: [observePushes(report)]
      })
      const admin = layerAdminServer({ host: listen, port: adminPort, missing: unsynced }).pipe(
        Layer.provide(
          Layer.unwrap(Effect.map(XdsServer, ({ connections }) => layerLocalQueries(connections)))
        )
      )
      const recorder = Option.isSome(record) ? layerRecording(record.value) : Layer.empty
      const audited = Layer.unwrap(
        Effect.map(XdsServer, ({ connections }) =>
          layerSelfAudit({ interval: auditInterval, plugins, connections })
        )
      )
      const faults = namesApiServer(options) ? Layer.empty : layerFileFaults
      // Told last, when nothing can fail any more.
      return Layer.mergeAll(faults, layerStaleness, told, recorder, audited).pipe(
        Layer.provideMerge(Layer.merge(layerPushPlanner, admin)),
        Layer.provideMerge(xds)
      )
    })
  )

/** What reads manifests is loaded only where there are some. */
const layerFileFaults = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./fault-log.ts")),
    ({ layerFaultLog }) => layerFaultLog
  )
)

const layerRecording = (file: string) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../record/layer-recorder.ts")),
      ({ layerRecorder }) => layerRecorder(file)
    )
  )
