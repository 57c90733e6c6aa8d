import { assert, describe, it } from "@effect/vitest"
import { fromJson, toBinary, type JsonObject } from "@bufbuild/protobuf"
import { fileRegistry } from "./descriptors.ts"
import { ClusterLoadAssignment } from "./gen/envoy/config/endpoint/v3/endpoint.ts"
import { clusterLoadAssignmentToJson, resourceToJson } from "./proto-json.ts"
import { clusterTypeUrl, endpointTypeUrl, messageNameOf } from "./type-urls.ts"

const assignment: JsonObject = {
  clusterName: "outbound|80||reviews.shop.svc.cluster.local",
  endpoints: [
    {
      lbEndpoints: [
        {
          endpoint: { address: { socketAddress: { address: "10.0.0.1", portValue: 8080 } } },
          healthStatus: "HEALTHY",
          loadBalancingWeight: 1,
          metadata: {
            filterMetadata: {
              "envoy.transport_socket_match": { tlsMode: "istio" },
              istio: { workload: "reviews-v1;shop;reviews;v1;Kubernetes" }
            }
          }
        },
        {
          endpoint: { address: { pipe: { path: "/run/zürich.sock" } } },
          loadBalancingWeight: 4294967295
        }
      ],
      loadBalancingWeight: 2,
      locality: { region: "eu", zone: "eu-1", subZone: "rack-7" },
      priority: 1
    },
    {}
  ]
}

const encoded = (json: JsonObject): Uint8Array => {
  const registry = fileRegistry()
  const descriptor = registry.getMessage(messageNameOf(endpointTypeUrl))
  assert.isDefined(descriptor)
  return toBinary(descriptor, fromJson(descriptor, json, { registry }))
}

describe("clusterLoadAssignmentToJson", () => {
  it("is protojson: defaults left out, enums by name, Struct as plain JSON", () => {
    assert.deepStrictEqual(
      clusterLoadAssignmentToJson(ClusterLoadAssignment.decode(encoded(assignment))),
      assignment
    )
  })

  it("keeps a port 0, which is chosen in a oneof and no default", () => {
    const port0 = {
      clusterName: "c",
      endpoints: [
        { lbEndpoints: [{ endpoint: { address: { socketAddress: { address: "::1", portValue: 0 } } } }] }
      ]
    }
    assert.deepStrictEqual(clusterLoadAssignmentToJson(ClusterLoadAssignment.decode(encoded(port0))), port0)
  })

  it("of an empty assignment has only the name", () => {
    const empty: ClusterLoadAssignment = { clusterName: "c", endpoints: [], namedEndpoints: {} }
    assert.deepStrictEqual(clusterLoadAssignmentToJson(empty), { clusterName: "c" })
  })
})

describe("resourceToJson", () => {
  it("prints encoded bytes and gives an Any its @type", () => {
    const any = "type.googleapis.com/envoy.config.core.v3.Locality"
    const json = {
      clusterName: "c",
      endpoints: [{ metadata: { typedFilterMetadata: { where: { "@type": any, region: "eu" } } } }]
    }
    assert.deepStrictEqual(resourceToJson(endpointTypeUrl, encoded(json)), json)
  })

  it("names a type that it has no descriptor of", () => {
    assert.throws(() => resourceToJson(clusterTypeUrl, new Uint8Array()), /no descriptor of .*v3\.Cluster/)
  })
})
