import { assert, describe, it } from "@effect/vitest"
import { decode, placesOf } from "./decode-testing.ts"

const entry = (spec: object) => ({ spec: { hosts: ["a.example.com"], ...spec } })

const health = (status: object) => decode("WorkloadEntry", { spec: { address: "192.0.2.1" }, status }).healthy

describe("decodeServiceEntry", () => {
  it("fills in the defaults of the API", () => {
    const { meta: _, ...rest } = decode("ServiceEntry", entry({ ports: [{ number: 80, name: "http" }] }))
    assert.deepEqual(rest, {
      hosts: ["a.example.com"],
      addresses: [],
      ports: [{ number: 80, name: "http", protocol: "", targetPort: 0 }],
      meshExternal: true,
      resolution: "NONE",
      endpoints: [],
      workloadSelector: undefined,
      exportTo: [],
      subjectAltNames: [],
      statusAddresses: []
    })
  })

  it("reads protobuf's numbers in quotes, inline endpoints and status addresses", () => {
    const object = decode("ServiceEntry", {
      ...entry({
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: [{ number: "443", name: "tls", protocol: "TLS", targetPort: 8443 }],
        endpoints: [
          {
            address: "192.0.2.1",
            ports: { tls: 9443 },
            weight: 3,
            locality: "eu/eu-1",
            network: "n",
            labels: { a: "b" },
            serviceAccount: "sa"
          }
        ]
      }),
      status: { addresses: [{ host: "a.example.com", value: "240.240.0.1" }] }
    })
    assert.deepInclude(object, { meshExternal: false, resolution: "STATIC" })
    assert.deepEqual(object.ports, [{ number: 443, name: "tls", protocol: "TLS", targetPort: 8443 }])
    assert.deepEqual(object.endpoints, [
      {
        address: "192.0.2.1",
        ports: { tls: 9443 },
        labels: { a: "b" },
        network: "n",
        locality: "eu/eu-1",
        weight: 3,
        serviceAccount: "sa"
      }
    ])
    assert.deepEqual(object.statusAddresses, [{ host: "a.example.com", value: "240.240.0.1" }])
  })

  it("keeps an invalid address, with a warning, so that it still counts as given (S-30)", () => {
    assert.deepEqual(decode("ServiceEntry", entry({ addresses: ["10.0.0.0/40"] })).addresses, ["10.0.0.0/40"])
    assert.deepEqual(placesOf("ServiceEntry", entry({ addresses: ["10.0.0.0/40", "10.0.0.0/8", "::1"] })), [
      "warning spec.addresses[0]"
    ])
  })

  it.each([
    ["no host", { hosts: [] }, ["error spec.hosts"]],
    ["a host that is everything", { hosts: ["*"] }, ["error spec.hosts[0]"]],
    ["a wildcard within a label", { hosts: ["*a.b"] }, ["warning spec.hosts[0]"]],
    [
      "a duplicate port name",
      {
        ports: [
          { number: 1, name: "a" },
          { number: 2, name: "a" }
        ]
      },
      ["error spec.ports[1]"]
    ],
    [
      "a duplicate port number",
      {
        ports: [
          { number: 1, name: "a" },
          { number: 1, name: "b" }
        ]
      },
      ["error spec.ports[1]"]
    ],
    ["a port without number", { ports: [{ name: "a" }] }, ["error spec.ports[0].number"]],
    ["an unknown protocol", { ports: [{ number: 1, name: "a", protocol: "X" }] }, ["warning spec.ports[0]"]],
    [
      "an empty selector (D-16)",
      { resolution: "STATIC", workloadSelector: {} },
      ["warning spec.workloadSelector"]
    ],
    [
      "selector and endpoints",
      {
        resolution: "STATIC",
        workloadSelector: { labels: { a: "b" } },
        endpoints: [{ address: "192.0.2.1" }]
      },
      ["warning spec.endpoints"]
    ],
    ["endpoints that are never used", { endpoints: [{ address: "192.0.2.1" }] }, ["warning spec.endpoints"]],
    [
      "a hostname to be resolved by nobody",
      { resolution: "STATIC", endpoints: [{ address: "a.b" }] },
      ["warning spec.endpoints[0].address"]
    ],
    [
      "an address that is none",
      { resolution: "STATIC", endpoints: [{ address: "192.0.2.256" }] },
      ["error spec.endpoints[0].address", "warning spec.endpoints[0].address"]
    ],
    ["a hostname with DNS", { resolution: "DNS", endpoints: [{ address: "a.b" }] }, []],
    ["a unix socket", { resolution: "STATIC", endpoints: [{ address: "unix:///run/x.sock" }] }, []],
    [
      "a relative socket",
      { resolution: "STATIC", endpoints: [{ address: "unix://x" }] },
      ["error spec.endpoints[0].address"]
    ],
    [
      "an endpoint port of no name",
      {
        resolution: "STATIC",
        ports: [{ number: 1, name: "a" }],
        endpoints: [{ address: "192.0.2.1", ports: { b: 2 } }]
      },
      ["warning spec.endpoints[0].ports"]
    ],
    [
      "several hosts on a TCP port",
      { resolution: "STATIC", hosts: ["a.b", "c.d"], ports: [{ number: 1, name: "a", protocol: "TCP" }] },
      ["warning spec.hosts"]
    ],
    [
      "a resolution in the wrong letters, which tells nothing about the rest",
      {
        resolution: "static",
        hosts: ["a.b", "c.d"],
        addresses: ["10.0.0.0/8"],
        ports: [{ number: 1, name: "a", protocol: "TCP" }],
        endpoints: [{ address: "192.0.2.1" }]
      },
      ["error spec.resolution"]
    ],
    ["a CIDR with DNS", { resolution: "DNS", addresses: ["10.0.0.0/8"] }, ["warning spec.addresses[0]"]]
  ])("says what is wrong with %s", (_, spec, places) => {
    assert.deepEqual(placesOf("ServiceEntry", entry(spec)), places)
  })
})

describe("decodeWorkloadEntry", () => {
  it("takes IPs, hostnames, sockets, and no address behind a gateway", () => {
    for (const address of ["192.0.2.1", "fd00::1", "vm_1.example.com", "unix:///run/x"]) {
      assert.strictEqual(decode("WorkloadEntry", { spec: { address } }).spec.address, address)
    }
    assert.deepEqual(placesOf("WorkloadEntry", { spec: { network: "vm-net" } }), [])
    assert.deepEqual(placesOf("WorkloadEntry", { spec: { address: "10.0.0.300" } }), ["error spec.address"])
    assert.deepEqual(placesOf("WorkloadEntry", { spec: { address: "a b" } }), ["error spec.address"])
    assert.deepEqual(placesOf("WorkloadEntry", { spec: { address: "192.0.2.1", ports: { a: 0 } } }), [
      "error spec.ports.a"
    ])
  })

  it("tells whether a health check spoke (S-34)", () => {
    assert.isUndefined(health({}))
    assert.isTrue(health({ conditions: [{ type: "Healthy", status: "True" }] }))
    assert.isFalse(health({ conditions: [{ type: "Healthy", status: "False" }] }))
  })

  it("reads groups", () => {
    const spec = {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      template: { serviceAccount: "sa", ports: { http: 80 } }
    }
    assert.deepInclude(decode("WorkloadGroup", { spec }), { labels: { a: "b" }, annotations: { c: "d" } })
    assert.strictEqual(decode("WorkloadGroup", { spec }).template.serviceAccount, "sa")
  })
})

describe("decodeDestinationRule", () => {
  it("reads policies on all levels", () => {
    const trafficPolicy = {
      tls: {},
      outlierDetection: { minHealthPercent: 20 },
      loadBalancer: {
        localityLbSetting: {
          failover: [{ from: "eu", to: "us" }],
          distribute: [{ from: "eu/*", to: { "eu/*": 80, us: "20" } }]
        }
      },
      portLevelSettings: [
        { port: { number: 80 }, tls: { mode: "ISTIO_MUTUAL" }, loadBalancer: { simple: "PASSTHROUGH" } }
      ]
    }
    const rule = decode("DestinationRule", {
      spec: { host: "a", trafficPolicy, subsets: [{ name: "v1", labels: { version: "v1" } }] }
    })
    const policy = rule.trafficPolicy
    assert.strictEqual(policy?.tlsMode, "DISABLE")
    assert.deepEqual(policy?.outlierDetection, { minHealthPercent: 20 })
    assert.deepEqual(policy?.localityLbSetting, {
      enabled: true,
      distribute: [{ from: "eu/*", to: { "eu/*": 80, us: 20 } }],
      failover: [{ from: "eu", to: "us" }],
      failoverPriority: []
    })
    assert.deepInclude(policy?.portLevelSettings[0]?.policy, {
      tlsMode: "ISTIO_MUTUAL",
      hasLoadBalancer: true,
      passthrough: true
    })
    assert.deepEqual(rule.subsets, [{ name: "v1", labels: { version: "v1" }, trafficPolicy: undefined }])
  })

  it("keeps apart an empty policy and none, and an empty selector from a real one", () => {
    assert.isUndefined(decode("DestinationRule", { spec: { host: "a" } }).trafficPolicy)
    assert.deepInclude(decode("DestinationRule", { spec: { host: "a", trafficPolicy: {} } }).trafficPolicy, {
      tlsMode: undefined,
      hasLoadBalancer: false
    })
    assert.deepEqual(placesOf("DestinationRule", { spec: { host: "a", workloadSelector: {} } }), [
      "warning spec.workloadSelector"
    ])
    assert.deepEqual(
      placesOf("DestinationRule", { spec: { host: "a", subsets: [{ name: "a" }, { name: "a" }] } }),
      ["error spec.subsets[1].name"]
    )
  })
})

describe("decodeVirtualService", () => {
  it("collects where it sends to, and for whom", () => {
    const http = [
      {
        route: [
          { destination: { host: "a", port: { number: 80 } } },
          { destination: { host: "a", port: { number: 80 } } }
        ],
        mirror: { host: "m" }
      },
      {
        match: [{ sourceNamespace: "x" }, {}],
        route: [{ destination: { host: "b" } }],
        mirrors: [{ destination: { host: "n" } }]
      },
      { delegate: { name: "d" } }
    ]
    const tcp = [{ route: [{ destination: { host: "t" } }] }]
    const object = decode("VirtualService", { spec: { hosts: ["a"], http, tcp, tls: tcp } })
    assert.deepEqual(object.gateways, ["mesh"])
    assert.deepEqual(object.destinations, [
      { host: "a", port: 80 },
      { host: "m", port: 0 },
      { host: "b", port: 0, sourceNamespaces: ["x"] },
      { host: "n", port: 0, sourceNamespaces: ["x"] },
      { host: "t", port: 0 }
    ])
    assert.deepEqual(object.delegates, [{ name: "d", namespace: "shop" }])
  })
})

describe("decodeSidecar, decodePeerAuthentication, decodeGateway", () => {
  it("reads egress hosts and ports", () => {
    const egress = [
      { hosts: ["./*"], port: { number: 80, name: "http", protocol: "HTTP" } },
      { hosts: ["*/*"] }
    ]
    const sidecar = decode("Sidecar", { spec: { workloadSelector: { labels: { app: "a" } }, egress } })
    assert.deepEqual(sidecar.workloadSelector, { app: "a" })
    assert.deepEqual(sidecar.egress, [
      { hosts: ["./*"], port: { number: 80, name: "http", protocol: "HTTP" } },
      { hosts: ["*/*"], port: undefined }
    ])
    assert.deepEqual(placesOf("Sidecar", { spec: { egress: [{ hosts: ["a.b"] }] } }), [
      "error spec.egress[0].hosts[0]"
    ])
  })

  it("reads mutual TLS by port", () => {
    const spec = {
      selector: { matchLabels: { app: "a" } },
      mtls: { mode: "STRICT" },
      portLevelMtls: { 8080: { mode: "DISABLE" }, 9090: {} }
    }
    assert.deepInclude(decode("PeerAuthentication", { spec }), {
      mtls: "STRICT",
      portLevelMtls: { 8080: "DISABLE", 9090: "UNSET" }
    })
    assert.strictEqual(decode("PeerAuthentication").mtls, "UNSET")
    assert.deepEqual(placesOf("PeerAuthentication", { spec: { ...spec, selector: undefined } }), [
      "warning spec.portLevelMtls"
    ])
    assert.deepEqual(placesOf("PeerAuthentication", { spec: { ...spec, portLevelMtls: { http: {} } } }), [
      "error spec.portLevelMtls.http"
    ])
    assert.deepEqual(placesOf("PeerAuthentication", { spec: { mtls: { mode: "OFF" } } }), [
      "error spec.mtls.mode"
    ])
  })

  it("reads servers", () => {
    const spec = {
      selector: { istio: "eastwest" },
      servers: [
        {
          port: { number: 15443, name: "tls", protocol: "TLS" },
          hosts: ["*.local"],
          tls: { mode: "AUTO_PASSTHROUGH" }
        }
      ]
    }
    assert.deepEqual(decode("Gateway", { spec }).servers, [
      {
        port: { number: 15443, name: "tls", protocol: "TLS" },
        hosts: ["*.local"],
        tlsMode: "AUTO_PASSTHROUGH"
      }
    ])
  })
})
