import { assert, describe, it } from "@effect/vitest"
import {
  Annotation,
  defaultMeshConfig,
  type KubeService,
  type Labels,
  noLabels,
  type Service
} from "@istiod-lite/model"
import { kubePort, kubeService } from "@istiod-lite/model/testing"
import { convertService, isExportedToNobody } from "./convert-service.ts"

const convert = (
  fields: Partial<Omit<KubeService, "meta">> & { readonly annotations?: Labels } = {},
  { mesh = defaultMeshConfig, namespaceAnnotations = noLabels } = {}
): Service => {
  const { annotations = noLabels, ...rest } = fields
  return convertService(kubeService({ ...rest, meta: { annotations } }), {
    cluster: "c1",
    mesh,
    namespaceAnnotations
  })
}

describe("convertService", () => {
  it("names a service by its name, namespace and the mesh's domain (S-10)", () => {
    assert.strictEqual(convert().hostname, "reviews.shop.svc.cluster.local")
    const mesh = { ...defaultMeshConfig, domainSuffix: "one.example" }
    assert.strictEqual(convert({}, { mesh }).hostname, "reviews.shop.svc.one.example")
  })

  it.each([
    ["an IP", {}, "clientSideLB", false],
    ["None", { clusterIP: "None" }, "passthrough", false],
    [
      "an external name",
      { type: "ExternalName", externalName: "api.example.com", clusterIP: "" },
      "alias",
      true
    ],
    ["an external name that is empty", { type: "ExternalName", clusterIP: "" }, "clientSideLB", false]
  ])("with %s has its resolution (S-10)", (_, fields, resolution, meshExternal) => {
    const service = convert(fields)
    assert.deepEqual(
      { resolution: service.resolution, meshExternal: service.meshExternal },
      { resolution, meshExternal }
    )
  })

  it.each([
    ["one", { clusterIPs: ["10.96.0.1"] }, ["10.96.0.1"]],
    ["several", { clusterIPs: ["10.96.0.1", "fd00::1"] }, ["10.96.0.1", "fd00::1"]],
    ["None", { clusterIP: "None", clusterIPs: ["None"] }, ["0.0.0.0"]],
    ["no", { clusterIP: "", clusterIPs: [] }, ["0.0.0.0"]]
  ])("takes %s cluster IPs (S-10)", (_, fields, expected) => {
    const { clusterVips, defaultAddress } = convert(fields)
    assert.deepEqual(clusterVips, { c1: expected })
    assert.strictEqual(defaultAddress, expected[0])
  })

  it("reads exports and accounts from annotations (S-11)", () => {
    const service = convert({
      annotations: {
        [Annotation.exportTo]: "shop, bank",
        [Annotation.canonicalServiceAccounts]: "spiffe://other/ns/a/sa/b",
        [Annotation.kubernetesServiceAccounts]: "cart,reviews"
      }
    })
    assert.deepEqual(service.exportTo, ["shop", "bank"])
    assert.deepEqual(service.serviceAccounts, [
      "spiffe://other/ns/a/sa/b",
      "spiffe://cluster.local/ns/shop/sa/cart",
      "spiffe://cluster.local/ns/shop/sa/reviews"
    ])
  })

  it.each([
    ["~", true],
    ["shop,~", true],
    ["*", false],
    ["", false]
  ])("exported to %j is exported to nobody: %s", (exportTo, expected) => {
    assert.strictEqual(
      isExportedToNobody(convert({ annotations: { [Annotation.exportTo]: exportTo } })),
      expected
    )
  })

  const ingress = [
    { ip: "203.0.113.1", hostname: "" },
    { ip: "", hostname: "lb.example.com" },
    { ip: "", hostname: "" }
  ]
  it.each([
    [
      "load balancer",
      { type: "LoadBalancer", loadBalancerIngress: ingress },
      ["203.0.113.1", "lb.example.com"]
    ],
    ["load balancer that is none any more", { loadBalancerIngress: ingress }, undefined],
    ["external IPs", { externalIPs: ["198.51.100.1"] }, ["198.51.100.1"]]
  ])("has external addresses of its %s (S-11)", (_, fields, expected) => {
    assert.deepEqual(convert(fields).kube?.externalAddresses["c1"], expected)
  })

  it.each([
    [
      "a NodePort service with the node selector",
      { type: "NodePort", annotations: { [Annotation.nodeSelector]: "{}" } },
      { 80: 30080 }
    ],
    ["a NodePort service without it", { type: "NodePort" }, undefined],
    ["another service with it", { annotations: { [Annotation.nodeSelector]: "{}" } }, undefined]
  ])("maps ports to node ports for %s (S-11)", (_, fields, expected) => {
    const { kube } = convert({ ...fields, ports: [kubePort({ nodePort: 30080 })] })
    assert.deepEqual(kube?.externalPorts["c1"], expected)
  })

  const near = { [Annotation.trafficDistribution]: "PreferClose" }
  const nearest = { [Annotation.trafficDistribution]: "PreferSameNode" }
  it.each([
    ["the spec first", { trafficDistribution: "PreferSameNode", annotations: near }, near, "PreferSameNode"],
    ["then its annotation", { annotations: nearest }, near, "PreferSameNode"],
    ["then its namespace's", {}, near, "PreferSameZone"],
    ["else any", {}, noLabels, "Any"]
  ])("takes its traffic distribution from %s (S-12)", (_, fields, namespaceAnnotations, expected) => {
    assert.strictEqual(convert(fields, { namespaceAnnotations }).trafficDistribution, expected)
  })

  it("is node-local with internalTrafficPolicy Local (S-12)", () => {
    assert.isTrue(convert({ internalTrafficPolicy: "Local" }).kube?.nodeLocal)
    assert.isFalse(convert().kube?.nodeLocal)
  })

  it.each([
    [{ name: "grpc-web-shop" }, "GRPC-Web"],
    [{ name: "http", appProtocol: "kubernetes.io/h2c" }, "HTTP2"],
    [{ name: "http", protocol: "UDP" }, "UDP"],
    [{ name: "shop" }, "UnsupportedProtocol"]
  ])("port %j speaks %s (S-4)", (port, expected) => {
    assert.strictEqual(convert({ ports: [kubePort(port)] }).ports[0]?.protocol, expected)
  })
})
