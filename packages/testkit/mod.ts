/** What tests of the control plane need: one in memory, a scripted xDS client, and the conformance runner. */
export { findScenarios } from "./src/conformance/load-scenario.ts"
export { scenarioLines, summaryLines } from "./src/conformance/report.ts"
export {
  deviationsOf,
  type FileResult,
  isFilePassed,
  isPassed,
  type ScenarioResult
} from "./src/conformance/results.ts"
export { type RunOptions, runScenario } from "./src/conformance/run-scenario.ts"
export {
  type ControlPlane,
  type ControlPlaneOptions,
  layerControlPlane,
  makeControlPlane,
  type RegistryNeeds,
  WritableMesh
} from "./src/control-plane.ts"
export {
  layerMemorySource,
  MemoryObjects,
  MemorySource,
  type MemorySourceOptions
} from "./src/memory-source.ts"
export {
  makeServedControlPlane,
  type ServedControlPlane,
  type ServedControlPlaneOptions
} from "./src/served-control-plane.ts"
export { generateHistory } from "./src/simulation/generate/generate-history.ts"
export type { History, SimulatedClient, SimulatedEvent } from "./src/simulation/history.ts"
export {
  connectXdsTestClient,
  XdsStreamEnded,
  type XdsTestClient,
  type XdsTestClientOptions
} from "./src/xds-test-client.ts"
export type { ReceivedResource, ReceivedResponse } from "./src/xds-test-protocol.ts"
