import type { PushRequest } from "@istiod-lite/model"
import type { KubeClient } from "@istiod-lite/source-kube"
import { Cause, Effect } from "effect"
import { makeControlPlane } from "../control-plane.ts"
import { readEnvironment } from "./environment.ts"
import { loadOverlays } from "./load-overlays.ts"
import { loadScenario, scenarioName } from "./load-scenario.ts"
import { type Arrival, memoryDriver, playScenario } from "./play-scenario.ts"
import type { ScenarioResult } from "./results.ts"
import { ScenarioError } from "./scenario-error.ts"
import { meshOf } from "./scenario-mesh.ts"
import { driveApiServers } from "./via-api-server/drive-api-servers.ts"

/** What is compared, and under which overlays. */
export interface RunOptions {
  /** names of the kinds to compare; default: all that are made */
  readonly kinds?: ReadonlySet<string> | undefined
  /** folder of the overlays, by scenario */
  readonly overlays: string
  /** how the initial objects arrive: in one transaction, or one by one, the last first; the state must not differ (D-5) */
  readonly arrival?: Arrival
  /** the objects go through these API servers, one for each cluster of the scenario, and are read from there */
  readonly apiServers?: ReadonlyArray<KubeClient> | undefined
}

/** Runs the scenario in `folder` on a control plane of its own. Never fails: what goes wrong is in the result. */
export const runScenario = (folder: string, options: RunOptions): Effect.Effect<ScenarioResult> =>
  Effect.gen(function* () {
    const scenario = yield* loadScenario(folder)
    const overlays = yield* loadOverlays(options.overlays, scenario.name)
    const environment = readEnvironment(scenario.settings.env)
    if (environment.unknown.length > 0) {
      const reason = `no configuration of ours stands for ${environment.unknown.join(", ")}`
      return yield* new ScenarioError({ scenario: scenario.name, reason })
    }
    const viaServers =
      options.apiServers === undefined ? undefined : yield* driveApiServers(scenario, options.apiServers)
    const listeners: Array<(request: PushRequest) => void> = []
    const plane = yield* makeControlPlane(
      {
        configCluster: scenario.configCluster,
        clusters: scenario.clusters,
        mesh: yield* meshOf(scenario, environment),
        ...(viaServers === undefined ? {} : { objects: viaServers.objects }),
        allocator: scenario.settings.ipAllocator === "v2" ? { pools: environment.pool } : undefined
      },
      { push: (request) => listeners.forEach((listener) => listener(request)) }
    )
    return yield* playScenario(plane, scenario, overlays, {
      isSelected: (kind) => options.kinds?.has(kind) ?? true,
      driver: viaServers?.driver ?? memoryDriver(plane, scenario, options.arrival ?? "together"),
      onPush: (listener) => void listeners.push(listener)
    })
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.succeed({ name: scenarioName(folder), files: [], faults: [Cause.pretty(cause)] })
    ),
    Effect.scoped
  )
