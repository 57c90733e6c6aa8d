/**
 * Envoy's API as a control plane needs it: generated messages, type URLs, protojson, descriptors, and a writer for
 * encoders that keep parts of messages already encoded.
 *
 * Messages are plain readonly objects with `encode` and `decode` beside them; an `Any` stays `{ typeUrl, value }`.
 * Everything under src/gen is written by `npm run gen:proto` and never edited.
 */
export type { JsonObject, JsonValue } from "@bufbuild/protobuf"
export { fileRegistry } from "./src/descriptors.ts"
export { Address, EnvoyInternalAddress, Pipe, SocketAddress } from "./src/gen/envoy/config/core/v3/address.ts"
export { ControlPlane, Locality, Metadata, Node } from "./src/gen/envoy/config/core/v3/base.ts"
export { HealthStatus } from "./src/gen/envoy/config/core/v3/health_check.ts"
export {
  ClusterLoadAssignment,
  ClusterLoadAssignment_Policy
} from "./src/gen/envoy/config/endpoint/v3/endpoint.ts"
export {
  Endpoint,
  Endpoint_AdditionalAddress,
  LbEndpoint,
  LocalityLbEndpoints
} from "./src/gen/envoy/config/endpoint/v3/endpoint_components.ts"
export {
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponse,
  DiscoveryRequest,
  DiscoveryResponse,
  Resource
} from "./src/gen/envoy/service/discovery/v3/discovery.ts"
export { Any } from "./src/gen/google/protobuf/any.ts"
export { Struct, Value } from "./src/gen/google/protobuf/struct.ts"
export { UInt32Value } from "./src/gen/google/protobuf/wrappers.ts"
export { Status } from "./src/gen/google/rpc/status.ts"
export { ServerReflectionRequest, ServerReflectionResponse } from "./src/gen/grpc/reflection/v1/reflection.ts"
export {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
  HealthListResponse
} from "./src/gen/health/v1/health.ts"
export { clusterLoadAssignmentToJson, resourceToJson } from "./src/proto-json.ts"
export { reflect } from "./src/reflection.ts"
export {
  clusterTypeUrl,
  debugTypeUrl,
  endpointTypeUrl,
  healthInformationTypeUrl,
  lbEndpointTypeUrl,
  listenerTypeUrl,
  messageNameOf,
  nameTableTypeUrl,
  routeTypeUrl
} from "./src/type-urls.ts"
export {
  concatBytes,
  lengthDelimited,
  lengthDelimitedTag,
  nothing,
  uint32Field,
  utf8Field,
  utf8Length,
  varintLength,
  varintTag,
  writeUtf8,
  writeVarint
} from "./src/wire.ts"
