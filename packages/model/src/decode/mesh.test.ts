import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig } from "../mesh-config.ts"
import { expandList } from "./list.ts"
import { decodeMeshConfig } from "./mesh-config.ts"
import { decodeMeshNetworks } from "./mesh-networks.ts"

const paths = (raw: unknown) => decodeMeshConfig(raw).faults.map((fault) => fault.path)

describe("decodeMeshConfig", () => {
  it("is the default where it says nothing", () => {
    for (const raw of [undefined, null, {}, { accessLogFile: "/dev/stdout", defaultConfig: {} }]) {
      assert.deepEqual(decodeMeshConfig(raw), { value: defaultMeshConfig, faults: [] })
    }
  })

  it("reads what discovery uses", () => {
    const { faults, value } = decodeMeshConfig({
      trustDomain: "example.org",
      trustDomainAliases: ["old.org"],
      rootNamespace: "mesh",
      defaultServiceExportTo: ["."],
      localityLbSetting: { enabled: false },
      serviceSettings: [{ settings: { clusterLocal: true }, hosts: ["*.local"] }],
      defaultConfig: { discoveryAddress: "istiod-canary.mesh.svc:15012" }
    })
    assert.deepEqual(faults, [])
    assert.deepInclude(value, {
      trustDomain: "example.org",
      trustDomainAliases: ["old.org"],
      rootNamespace: "mesh",
      defaultServiceExportTo: ["."],
      defaultDestinationRuleExportTo: ["*"],
      discoveryHost: "istiod-canary.mesh.svc.cluster.local"
    })
    assert.isFalse(value.localityLbSetting?.enabled)
    assert.deepEqual(value.serviceSettings, [{ clusterLocal: true, hosts: ["*.local"] }])
  })

  it("reads discovery selectors, and says what is wrong with them", () => {
    const faulty = [
      { matchLabels: { a: 1 } },
      { matchExpressions: [{ operator: "Exists" }] },
      { matchExpressions: [{ key: "a" }] },
      { matchExpressions: [{ key: "a", operator: "in", values: ["b"] }] },
      { matchExpressions: [{ key: "a", operator: "In" }] },
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }
    ]
    assert.deepEqual(paths({ discoverySelectors: faulty }), [
      'discoverySelectors[0].matchLabels["a"]',
      "discoverySelectors[1].matchExpressions[0].key",
      "discoverySelectors[2].matchExpressions[0].operator",
      "discoverySelectors[3].matchExpressions[0].operator",
      "discoverySelectors[4].matchExpressions[0].values",
      "discoverySelectors[5].matchExpressions[0].values"
    ])
    const { value } = decodeMeshConfig({ discoverySelectors: [{ matchLabels: { a: "b" } }] })
    assert.deepEqual(value.discoverySelectors, [{ matchLabels: { a: "b" }, matchExpressions: [] }])
  })

  it("goes over a base of one's own", () => {
    const { value } = decodeMeshConfig(
      { trustDomain: "b" },
      { ...defaultMeshConfig, trustDomain: "a", dualStack: true }
    )
    assert.deepInclude(value, { trustDomain: "b", dualStack: true })
  })

  it("says what is wrong", () => {
    assert.deepEqual(paths([]), [""])
    assert.deepEqual(paths({ trustDomain: 1, serviceSettings: [{ hosts: "x" }] }), [
      "trustDomain",
      "serviceSettings[0].hosts"
    ])
  })
})

describe("decodeMeshNetworks", () => {
  it("reads members and gateways", () => {
    const { faults, value } = decodeMeshNetworks({
      networks: {
        vm: {
          endpoints: [{ fromCidr: "192.0.2.0/24" }, { fromRegistry: "k1" }],
          gateways: [
            { address: "198.51.100.1", port: 15443 },
            { registryServiceName: "gw.ns.svc.cluster.local", port: 443 }
          ]
        },
        empty: {}
      }
    })
    assert.deepEqual(faults, [])
    assert.deepEqual(value, {
      vm: {
        endpoints: [{ fromCidr: "192.0.2.0/24" }, { fromRegistry: "k1" }],
        gateways: [
          { port: 15443, address: "198.51.100.1" },
          { port: 443, registryServiceName: "gw.ns.svc.cluster.local" }
        ]
      },
      empty: { endpoints: [], gateways: [] }
    })
  })

  it("says what is wrong", () => {
    const network = {
      endpoints: [{ fromCidr: "192.0.2.0" }, {}],
      gateways: [{ port: 1 }, { address: "a:1", port: 1 }, { address: "a" }]
    }
    assert.deepEqual(
      decodeMeshNetworks({ networks: { n: network } }).faults.map((fault) => fault.path),
      [
        "networks.n.endpoints[0].fromCidr",
        "networks.n.endpoints[1]",
        "networks.n.gateways[0]",
        "networks.n.gateways[1].address",
        "networks.n.gateways[2].port"
      ]
    )
  })
})

describe("expandList", () => {
  it("gives items their kind, and leaves other documents", () => {
    const pod = { metadata: { name: "a" } }
    assert.deepEqual(expandList({ apiVersion: "v1", kind: "PodList", items: [pod] }), [
      { raw: { apiVersion: "v1", kind: "Pod", ...pod }, path: "items[0]" }
    ])
    assert.deepEqual(expandList({ apiVersion: "v1", kind: "List", items: [1] }), [
      { raw: 1, path: "items[0]" }
    ])
    for (const raw of [1, null, { kind: "List" }, { kind: "Pod", items: [] }]) {
      assert.deepEqual(expandList(raw), [{ raw, path: "" }])
    }
  })
})
