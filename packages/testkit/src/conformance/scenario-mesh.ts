import {
  decodeMeshConfig,
  decodeMeshNetworks,
  defaultMeshConfig,
  formatFault,
  type MeshConfigValue
} from "@istiod-lite/model"
import { Effect } from "effect"
import type { Environment } from "./environment.ts"
import type { Scenario } from "./scenario.ts"
import { ScenarioError } from "./scenario-error.ts"

/** The mesh configuration that istiod had: the scenario's fields over the defaults, and its switches. */
export const meshOf = (
  { name, settings }: Scenario,
  environment: Environment
): Effect.Effect<MeshConfigValue, ScenarioError> => {
  const mesh = decodeMeshConfig(settings.mesh, { ...defaultMeshConfig, ...environment.mesh })
  const networks = decodeMeshNetworks(settings.meshNetworks)
  const faults = [...mesh.faults, ...networks.faults]
  if (faults.length > 0)
    return Effect.fail(new ScenarioError({ scenario: name, reason: faults.map(formatFault).join("; ") }))
  return Effect.succeed({
    ...mesh.value,
    networks: networks.value,
    clusterTrustDomains: settings.clusterTrustDomains ?? {}
  })
}
