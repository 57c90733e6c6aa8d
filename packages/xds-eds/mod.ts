/**
 * Endpoints for proxies: which of a service's endpoints a client is told of, in which localities, weights and
 * priorities (S-60 … S-68), why it is not told of the others, and the encoded ClusterLoadAssignments.
 */
export {
  type AssignedEndpoint,
  type AssignedLocality,
  type EndpointAddress,
  isGateway
} from "./src/assigned-endpoint.ts"
export { type AssignmentSources, readInput } from "./src/assignment-inputs.ts"
export { assignmentToJson, toClusterLoadAssignment } from "./src/assignment-message.ts"
export { type Assignment, buildAssignment } from "./src/build-assignment.ts"
export {
  assignmentQuery,
  edsGenerator,
  type GeneratorSources,
  type EdsOptions,
  layerEdsGenerator,
  makeAssignmentQuery,
  makeEdsGenerator
} from "./src/eds-generator.ts"
export { describeExclusion, type ExclusionText } from "./src/describe-exclusion.ts"
export { encodeAssignment } from "./src/encode-assignment.ts"
export { isLedsVersion, type LedsOptions } from "./src/leds-encoder.ts"
export { type PeerMode } from "./src/endpoint-view.ts"
export { type EmptyReason, type Exclusion, type ExclusionReason } from "./src/exclusion.ts"
export { indexGateways, type NetworkGateways } from "./src/network-gateways.ts"
export { type AssignmentInput } from "./src/plan-assignment.ts"
export { type BehindGateways } from "./src/split-horizon.ts"
