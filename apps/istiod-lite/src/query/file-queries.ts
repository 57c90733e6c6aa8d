import type { Layer as LayerType } from "effect/Layer"
import { Layer } from "effect"
import type { SourceOptions } from "../compose/source-options.ts"
import { fileSource } from "../compose/file-source.ts"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import { layerLocalQueries } from "./local-queries.ts"
import type { Queries } from "./queries.ts"

/** Answers about files, as the app without plugins of a user would serve them. Nobody is connected. */
export const layerFileQueries = (options: SourceOptions): LayerType<Queries, Error> =>
  layerLocalQueries(() => []).pipe(Layer.provide(layerDiscovery(controlPlane(), fileSource(options, false))))
