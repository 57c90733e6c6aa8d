import {
  clusterLoadAssignmentToJson,
  type JsonObject,
  type ClusterLoadAssignment,
  type LbEndpoint,
  type Address
} from "@istiod-lite/xds-proto"
import type { AssignedEndpoint, AssignedLocality, EndpointAddress } from "./assigned-endpoint.ts"
import type { Assignment } from "./build-assignment.ts"
import { healthStatus, originalDestination, socketMatch, tunnelListener } from "./encode-endpoint.ts"

/** The assignment as a message, for those who print or compare it; what is sent is encoded without it. */
export const toClusterLoadAssignment = ({ localities, name }: Assignment): ClusterLoadAssignment => ({
  clusterName: name,
  endpoints: localities.map(toLocality),
  namedEndpoints: {},
  policy: undefined
})

/** Its protojson: what `render` shows and the conformance files hold. */
export const assignmentToJson = (assignment: Assignment): JsonObject =>
  clusterLoadAssignmentToJson(toClusterLoadAssignment(assignment))

const toLocality = ({
  endpoints,
  locality: { region, subzone, zone },
  priority,
  weight
}: AssignedLocality): ClusterLoadAssignment["endpoints"][number] => ({
  locality: { region, zone, subZone: subzone },
  metadata: undefined,
  lbEndpoints: endpoints.map(toLbEndpoint),
  lbConfig: undefined,
  loadBalancingWeight: weight,
  priority,
  proximity: undefined
})

const toLbEndpoint = (endpoint: AssignedEndpoint): LbEndpoint => ({
  hostIdentifier: {
    $case: "endpoint",
    value: {
      address: toAddress(endpoint.address),
      healthCheckConfig: undefined,
      hostname: "",
      additionalAddresses: endpoint.additionalAddresses.map((address) => ({
        address: toAddress(
          endpoint.address.kind === "socket"
            ? { ...endpoint.address, address }
            : { kind: "pipe", path: address }
        )
      }))
    }
  },
  healthStatus: healthStatus[endpoint.health],
  metadata: { filterMetadata: toMetadata(endpoint), typedFilterMetadata: {} },
  loadBalancingWeight: endpoint.weight
})

const toMetadata = ({
  address,
  tlsMode,
  workload
}: AssignedEndpoint): Record<string, Record<string, string>> => ({
  ...(address.kind === "tunnel" ? { [originalDestination]: { local: address.target } } : {}),
  ...(address.kind === "tunnel" ? { [socketMatch]: { tunnel: "http" } } : {}),
  ...(address.kind !== "tunnel" && tlsMode !== "" ? { [socketMatch]: { tlsMode } } : {}),
  istio: { workload: workload.join(";") }
})

const toAddress = (address: EndpointAddress): Address => {
  if (address.kind === "pipe") return { address: { $case: "pipe", value: { path: address.path, mode: 0 } } }
  if (address.kind === "tunnel") {
    const addressNameSpecifier = { $case: "serverListenerName", value: tunnelListener } as const
    return {
      address: {
        $case: "envoyInternalAddress",
        value: { addressNameSpecifier, endpointId: address.target }
      }
    }
  }
  const portSpecifier = { $case: "portValue", value: address.port } as const
  return {
    address: {
      $case: "socketAddress",
      value: { protocol: 0, address: address.address, portSpecifier, resolverName: "", ipv4Compat: false }
    }
  }
}
