import * as NodeDns from "@effect/platform-node/NodeDns"
import type { XdsUpdater } from "@istiod-lite/model"
import { layerServiceDiscoveryDns } from "@istiod-lite/registry-aggregate"
import type { XdsServer } from "@istiod-lite/xds-server"
import { Effect, Layer, Option } from "effect"
import type { PortError } from "../admin/admin-error.ts"
import type { ApiServerSource } from "../compose/api-server-source.ts"
import { type Discovery, layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane, type Plugins, type SourcePlugin } from "../compose/plugins.ts"
import { namesApiServer, namesFiles } from "../compose/source-options.ts"
import { WrongUse } from "../query/query-error.ts"
import type { RecordingError } from "../record/recording-file.ts"
import { layerLineLogger } from "./log-line.ts"
import type { ServeOptions } from "./serve-options.ts"

/**
 * Runs a control plane until it is interrupted; then streams are drained, and everything is let go, last built first.
 *
 * What only one kind of source needs is loaded for that kind, and what faces proxies and people when reading has begun.
 */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const plugins = yield* pluginsOf(options)
  const aggregate = layerServiceDiscoveryDns.pipe(Layer.provide(NodeDns.layer))
  const serving = layerServingLater(plugins, options)
  if (!namesApiServer(options)) {
    const sources = yield* sourceOf(plugins, options)
    const { layerNoRegistration } = yield* Effect.promise(() => import("./no-registration.ts"))
    const discovery = layerDiscovery(plugins, sources, aggregate)
    return yield* launch(serving.pipe(Layer.provide(layerNoRegistration), Layer.provide(discovery)))
  }
  const { apiServerSource } = yield* Effect.promise(() => import("../compose/api-server-source.ts"))
  const discovery = layerDiscovery<ApiServerSource>(plugins, apiServerSource(options), aggregate)
  const machines = Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./layer-machines.ts")),
      ({ layerMachines }) => layerMachines(options)
    )
  )
  return yield* launch(serving.pipe(Layer.provide(machines), Layer.provide(discovery)))
})

const launch = <E>(served: Layer.Layer<XdsServer | XdsUpdater, E>): Effect.Effect<never, E> =>
  Layer.launch(Layer.provide(served, layerLineLogger))

const layerServingLater = (
  plugins: Plugins,
  options: ServeOptions
): Layer.Layer<XdsServer | XdsUpdater, PortError | RecordingError | WrongUse, Discovery> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./layer-serving.ts")),
      ({ layerServing }) => layerServing(plugins, options)
    )
  )

const pluginsOf = Effect.fnUntraced(function* ({ config }: ServeOptions) {
  if (Option.isNone(config)) return controlPlane()
  const { loadConfig } = yield* Effect.promise(() => import("../compose/load-config.ts"))
  return yield* loadConfig(config.value)
})

/** Files that are named on the command line come before the sources of a config. */
const sourceOf = Effect.fnUntraced(function* (plugins: Plugins, options: ServeOptions) {
  if (namesFiles(options)) {
    const { fileSource } = yield* Effect.promise(() => import("../compose/file-source.ts"))
    const source: SourcePlugin = fileSource(options, true)
    return source
  }
  if (plugins.sources !== undefined) return plugins.sources
  const message =
    "Nothing to serve: name objects with --manifests PATH, an API server with --kubeconfig FILE, or a config that has sources."
  return yield* new WrongUse({ message })
})
