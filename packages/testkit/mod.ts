/** What tests of the control plane need: one in memory, and the conformance runner. */
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
