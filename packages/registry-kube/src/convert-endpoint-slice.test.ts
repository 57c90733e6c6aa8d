import { assert, describe, it } from "@effect/vitest"
import { Annotation, defaultMeshConfig, type EndpointSlice, Label, noLabels } from "@istiod-lite/model"
import { endpointSlice, kubeService, pod, podRef, sliceEndpoint } from "@istiod-lite/model/testing"
import { convertEndpointSlice, serviceNameOfSlice } from "./convert-endpoint-slice.ts"
import { convertService } from "./convert-service.ts"
import { networkAssignment } from "./network-of.ts"
import { podFactsOf } from "./pod-facts.ts"

const networks = networkAssignment({}, "c1", undefined)
const facts = (of: ReturnType<typeof pod>) =>
  podFactsOf(of, { cluster: "c1", mesh: defaultMeshConfig, node: undefined, networks })

/** The group of a slice, for a service and pods that are there. */
const convert = (
  slice: EndpointSlice,
  {
    kube = kubeService(),
    mesh = defaultMeshConfig,
    pods = [pod()]
  }: {
    readonly kube?: ReturnType<typeof kubeService>
    readonly mesh?: typeof defaultMeshConfig
    readonly pods?: ReadonlyArray<ReturnType<typeof pod>>
  } = {}
) => {
  const known = pods.map(facts)
  return convertEndpointSlice(slice, {
    cluster: "c1",
    mesh,
    networks,
    service: convertService(kube, { cluster: "c1", mesh, namespaceAnnotations: noLabels }),
    kubeService: kube,
    discoverability: "AlwaysDiscoverable",
    podByName: (namespace, name) => known.find((one) => one.namespace === namespace && one.name === name),
    podsByIp: (address) => known.filter(({ available, ips }) => available && ips[0] === address)
  })
}
const dual = pod({ ips: ["10.20.0.1", "fd00::1"] })
const slice = (...endpoints: EndpointSlice["endpoints"]) => endpointSlice({ endpoints })

describe("serviceNameOfSlice (S-13)", () => {
  it.each([
    ["the service-name label", endpointSlice(), "reviews"],
    ["none without the label", endpointSlice({ meta: { labels: noLabels } }), undefined],
    ["none with an empty label", endpointSlice({ meta: { labels: { [Label.serviceName]: "" } } }), undefined],
    [
      "none of another cluster's copy",
      endpointSlice({
        meta: { labels: { [Label.serviceName]: "reviews", [Label.multiClusterServiceName]: "reviews" } }
      }),
      undefined
    ],
    ["none of names", endpointSlice({ addressType: "FQDN" }), undefined]
  ])("is %s", (_, of, expected) => assert.strictEqual(serviceNameOfSlice(of), expected))
})

describe("convertEndpointSlice", () => {
  it("gives every address × every port, in the slice's order (S-13)", () => {
    const ports = [
      { name: "http", port: 8080, protocol: "TCP" },
      { name: "admin", port: 9090, protocol: "TCP" }
    ]
    const endpoints = [sliceEndpoint({ addresses: ["10.20.0.9", "10.20.0.8"] })]
    const group = convert(endpointSlice({ ports, endpoints }))
    assert.deepEqual(
      group?.endpoints.map(({ addresses, port }) => `${addresses.join()}:${port}`),
      ["10.20.0.9:8080", "10.20.0.9:9090", "10.20.0.8:8080", "10.20.0.8:9090"]
    )
    assert.strictEqual(group?.shard, "Kubernetes/c1")
  })

  it("gives nothing for a service exported to nobody (S-13, S-19)", () => {
    const kube = kubeService({ meta: { annotations: { [Annotation.exportTo]: "~" } } })
    assert.isUndefined(convert(endpointSlice(), { kube }))
  })

  it.each([
    ["is not there", [], "", "PodMissing"],
    ["is of another namespace", [pod({ meta: { namespace: "bank" } })], "", "PodMissing"],
    ["has ended (D-13)", [pod({ phase: "Failed" })], "", "PodEnded"],
    ["is another one of its name (D-13)", [pod({ meta: { uid: "new" } })], "old", "PodReplaced"]
  ] as const)("holds an address back whose pod %s", (_, pods, uid, reason) => {
    const group = convert(slice(sliceEndpoint({ targetRef: podRef("reviews-1", uid) })), { pods })
    assert.deepEqual(group?.endpoints, [])
    assert.deepEqual(group?.heldBack, [{ address: "10.20.0.1", reason, object: "Pod shop/reviews-1" }])
  })

  it.each([
    ["is not ready", pod({ ready: false }), ""],
    ["is being deleted: a timestamp is not a deletion (D-13)", pod({ deleting: true }), ""],
    ["has the uid that the slice names", pod({ meta: { uid: "same" } }), "same"],
    ["does not say its uid", pod(), "some"],
    ["has another address", pod({ ips: ["10.20.0.7"] }), ""]
  ])("takes a named pod that %s (S-13)", (_, of, uid) => {
    const group = convert(slice(sliceEndpoint({ targetRef: podRef("reviews-1", uid) })), { pods: [of] })
    const [found] = group?.endpoints ?? []
    assert.deepEqual([found?.addresses[0], found?.workloadName], ["10.20.0.1", "reviews-1"])
  })

  it.each([
    ["of its namespace", pod(), "reviews-1", "Pod"],
    ["of another namespace", pod({ meta: { namespace: "bank" } }), "", "Address"],
    ["that is not ready", pod({ ready: false }), "", "Address"],
    ["that is being deleted", pod({ deleting: true }), "", "Address"]
  ])("lends an address without target the facts of a pod at it: %s (S-13)", (_, of, workloadName, kind) => {
    const [found] = convert(slice(sliceEndpoint()), { pods: [of] })?.endpoints ?? []
    assert.deepEqual([found?.workloadName, found?.origin.kind], [workloadName, kind])
  })

  it("gives an address that nobody explains an empty network label and no identity (S-5)", () => {
    const [found] = convert(slice(sliceEndpoint()), { pods: [] })?.endpoints ?? []
    assert.deepEqual(found?.labels, { [Label.network]: "", [Label.cluster]: "c1" })
    assert.deepEqual([found?.serviceAccount, found?.tlsMode], ["", "disabled"])
  })

  it.each([
    ["IPv4, dual stack on", true, ["10.96.0.1", "fd00:96::1"], "IPv4", dual, [["10.20.0.1", "fd00::1"]]],
    ["IPv6, dual stack on", true, ["10.96.0.1", "fd00:96::1"], "IPv6", dual, []],
    ["IPv4, dual stack off", false, ["10.96.0.1", "fd00:96::1"], "IPv4", dual, [["10.20.0.1"]]],
    ["IPv6, dual stack off", false, ["10.96.0.1", "fd00:96::1"], "IPv6", dual, [["fd00::1"]]],
    ["IPv6, a headless service has one cluster IP", true, ["None"], "IPv6", dual, [["fd00::1"]]],
    ["IPv4, a pod of one address", true, ["10.96.0.1", "fd00:96::1"], "IPv4", pod(), [["10.20.0.1"]]]
  ])("tells a dual-stack pod once: %s (S-16)", (_, dualStack, clusterIPs, addressType, of, expected) => {
    const addresses = [addressType === "IPv4" ? "10.20.0.1" : "fd00::1"]
    const group = convert(
      endpointSlice({ addressType, endpoints: [sliceEndpoint({ addresses, targetRef: podRef() })] }),
      { kube: kubeService({ clusterIPs }), mesh: { ...defaultMeshConfig, dualStack }, pods: [of] }
    )
    assert.deepEqual(
      group?.endpoints.map((found) => found.addresses),
      expected
    )
  })

  it.each([
    ["by default", true, "", true],
    ["not, if the mesh says so", false, "", false],
    ["still, with a traffic distribution (S-67)", false, "PreferClose", true]
  ])("sends unhealthy endpoints %s (S-61)", (_, sendUnhealthyEndpoints, trafficDistribution, expected) => {
    const mesh = { ...defaultMeshConfig, sendUnhealthyEndpoints }
    const [found] =
      convert(endpointSlice(), { kube: kubeService({ trafficDistribution }), mesh })?.endpoints ?? []
    assert.strictEqual(found?.sendUnhealthy, expected)
  })

  it("keeps the slice's place in the order of slices (S-15)", () => {
    const group = convert(endpointSlice({ meta: { resourceVersion: "7" } }))
    assert.deepInclude(group?.slice, { name: "reviews-a", resourceVersion: "7" })
  })
})
