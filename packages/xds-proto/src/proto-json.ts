import { fromBinary, toJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf"
import { fileRegistry } from "./descriptors.ts"
import { ClusterLoadAssignment } from "./gen/envoy/config/endpoint/v3/endpoint.ts"
import { endpointTypeUrl, messageNameOf } from "./type-urls.ts"

/**
 * The JSON of an encoded resource, as protobuf defines it (protojson): lowerCamel names, defaults left out, enums by
 * name, 64-bit numbers as strings, Struct as plain JSON, Any with `@type`.
 *
 * Fails: throws on a type URL, or an Any inside, that this package has no descriptor of, and on bytes that are no such
 * message; both are faults of the caller, who encoded them.
 */
export const resourceToJson = (typeUrl: string, bytes: Uint8Array): JsonObject => {
  const registry = fileRegistry()
  const descriptor = registry.getMessage(messageNameOf(typeUrl))
  if (descriptor === undefined)
    throw new Error(`Cannot print a resource as JSON: no descriptor of ${typeUrl}`)
  const json = toJson(descriptor, fromBinary(descriptor, bytes), { registry })
  if (!isObject(json))
    throw new Error(`Cannot print a resource as JSON: ${typeUrl} has a JSON form that is no object`)
  return json
}

/** The protojson of an assignment: what `render`, the admin API and the conformance files show. */
export const clusterLoadAssignmentToJson = (assignment: ClusterLoadAssignment): JsonObject =>
  resourceToJson(endpointTypeUrl, ClusterLoadAssignment.encode(assignment).finish())

const isObject = (json: JsonValue): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
