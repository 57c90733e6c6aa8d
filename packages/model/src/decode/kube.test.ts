import { assert, describe, it } from "@effect/vitest"
import { decode, faultsOf, placesOf } from "./decode-testing.ts"

const slicePlaces = (addressType: string, address: string) =>
  placesOf("EndpointSlice", { addressType, endpoints: [{ addresses: [address] }] })

describe("decodePod", () => {
  it("reads what discovery needs", () => {
    const pod = decode(
      "Pod",
      {
        spec: {
          serviceAccountName: "reviews",
          nodeName: "node-1",
          hostname: "reviews-0",
          subdomain: "reviews",
          hostNetwork: true,
          containers: [
            {
              ports: [
                { name: "http", containerPort: 8080 },
                { containerPort: 53, protocol: "UDP" }
              ]
            }
          ],
          initContainers: [
            { restartPolicy: "Always", ports: [{ name: "side", containerPort: 9000 }] },
            { ports: [{ name: "setup", containerPort: 9001 }] }
          ]
        },
        status: {
          phase: "Running",
          podIP: "10.0.0.1",
          podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
          conditions: [
            { type: "Initialized", status: "True" },
            { type: "Ready", status: "True" }
          ]
        }
      },
      {
        generateName: "reviews-",
        deletionTimestamp: "2026-03-01T08:00:00Z",
        ownerReferences: [
          { apiVersion: "v1", kind: "Owner", name: "other" },
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: "reviews-5f", controller: true }
        ]
      }
    )
    const { meta: _, ...rest } = pod
    assert.deepEqual(rest, {
      generateName: "reviews-",
      controller: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "reviews-5f" },
      deleting: true,
      serviceAccount: "reviews",
      node: "node-1",
      hostname: "reviews-0",
      subdomain: "reviews",
      hostNetwork: true,
      phase: "Running",
      ready: true,
      ips: ["10.0.0.1", "fd00::1"],
      ports: [
        { name: "http", containerPort: 8080, protocol: "TCP" },
        { name: "", containerPort: 53, protocol: "UDP" },
        { name: "side", containerPort: 9000, protocol: "TCP" }
      ]
    })
  })

  it("is pending, not ready and without address by default", () => {
    const pod = decode("Pod")
    assert.deepInclude(pod, { phase: "Pending", ready: false, deleting: false, controller: undefined })
    assert.deepEqual(pod.ips, [])
  })

  it("takes podIP alone, and refuses what is no address", () => {
    assert.deepEqual(decode("Pod", { status: { podIP: "10.0.0.1" } }).ips, ["10.0.0.1"])
    assert.deepEqual(placesOf("Pod", { status: { podIPs: [{ ip: "10.0.0" }] } }), [
      "error status.podIPs[0].ip"
    ])
  })
})

describe("decodeKubeService", () => {
  it("fills in the defaults", () => {
    const service = decode("Service", {
      spec: {
        ports: [
          { port: 80 },
          { name: "b", port: 81, targetPort: "http" },
          { name: "c", port: 82, targetPort: "8080" },
          { name: "d", port: 83, targetPort: 8083, appProtocol: "grpc", nodePort: 30000 }
        ]
      }
    })
    assert.deepInclude(service, {
      type: "ClusterIP",
      clusterIP: "",
      internalTrafficPolicy: "Cluster",
      trafficDistribution: "",
      publishNotReadyAddresses: false
    })
    assert.deepEqual(service.ports, [
      { name: "", port: 80, protocol: "TCP", appProtocol: undefined, targetPort: 80, nodePort: 0 },
      { name: "b", port: 81, protocol: "TCP", appProtocol: undefined, targetPort: "http", nodePort: 0 },
      { name: "c", port: 82, protocol: "TCP", appProtocol: undefined, targetPort: "8080", nodePort: 0 },
      { name: "d", port: 83, protocol: "TCP", appProtocol: "grpc", targetPort: 8083, nodePort: 30000 }
    ])
  })

  it("reads headless, external and load balancer services", () => {
    assert.strictEqual(decode("Service", { spec: { clusterIP: "None" } }).clusterIP, "None")
    assert.strictEqual(
      decode("Service", { spec: { type: "ExternalName", externalName: "a.b" } }).externalName,
      "a.b"
    )
    const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "lb.example.com" }] } }
    assert.deepEqual(decode("Service", { status }).loadBalancerIngress, [
      { ip: "192.0.2.1", hostname: "" },
      { ip: "", hostname: "lb.example.com" }
    ])
  })

  it("refuses duplicate and impossible ports", () => {
    const ports = [{ name: "a", port: 80 }, { name: "a", port: 80 }, { name: "b", port: 0 }, { name: "c" }]
    assert.deepEqual(placesOf("Service", { spec: { ports } }), [
      "error spec.ports[2].port",
      "error spec.ports[3].port",
      "error spec.ports[1]",
      "error spec.ports[1]"
    ])
    assert.deepEqual(
      placesOf("Service", {
        spec: {
          ports: [
            { name: "a", port: 53 },
            { name: "b", port: 53, protocol: "UDP" }
          ]
        }
      }),
      []
    )
  })
})

describe("decodeEndpointSlice", () => {
  it("keeps apart what was said and what was not", () => {
    const slice = decode("EndpointSlice", {
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080 }, {}],
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: false, terminating: true },
          nodeName: "n",
          targetRef: { kind: "Pod", name: "p", uid: "u" }
        },
        { addresses: ["10.0.0.2"], conditions: {} }
      ]
    })
    assert.deepEqual(slice.ports, [
      { name: "http", port: 8080, protocol: "TCP" },
      { name: "", port: 0, protocol: "TCP" }
    ])
    assert.deepEqual(slice.endpoints[0], {
      addresses: ["10.0.0.1"],
      ready: false,
      serving: undefined,
      terminating: true,
      targetRef: { kind: "Pod", namespace: "shop", name: "p", uid: "u" },
      node: "n"
    })
    assert.deepInclude(slice.endpoints[1], { ready: undefined, targetRef: undefined })
  })

  it("checks addresses by their type", () => {
    assert.deepEqual(slicePlaces("IPv4", "fd00::1"), ["error endpoints[0].addresses[0]"])
    assert.deepEqual(slicePlaces("IPv6", "fd00::1"), [])
    assert.deepEqual(slicePlaces("FQDN", "a.example.com"), [])
    assert.deepEqual(slicePlaces("DNS", "a"), ["error addressType", "error endpoints[0].addresses[0]"])
    const [fault] = faultsOf("EndpointSlice", {
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.256"] }]
    })
    assert.strictEqual(fault?.received, '"10.0.0.256"')
  })
})

describe("decodeNode", () => {
  it("reads the addresses", () => {
    const status = { addresses: [{ type: "ExternalIP", address: "192.0.2.1" }] }
    assert.deepEqual(decode("Node", { status }).addresses, [{ type: "ExternalIP", address: "192.0.2.1" }])
  })
})

describe("decodeObject of a ServiceImport", () => {
  it("keeps its addresses sorted, and leaves out what is none with a warning", () => {
    const spec = { type: "ClusterSetIP", ips: ["fd00::7", "10.112.0.1", "soon"] }
    assert.deepEqual(decode("ServiceImport", { spec }).ips, ["10.112.0.1", "fd00::7"])
    assert.deepEqual(placesOf("ServiceImport", { spec }), ["warning spec.ips[2]"])
  })
})
