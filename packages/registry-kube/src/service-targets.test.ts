import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, type KubeService, noLabels, type ServiceTarget } from "@istiod-lite/model"
import {
  endpoint,
  endpointGroup,
  kubePort,
  kubeService,
  pod,
  proxy,
  workload
} from "@istiod-lite/model/testing"
import { convertService } from "./convert-service.ts"
import { networkAssignment } from "./network-of.ts"
import { podFactsOf } from "./pod-facts.ts"
import {
  type KubeServicePair,
  machineOfProxy,
  targetsOfMachine,
  targetsOfMetadata,
  targetsOfPod,
  targetsOfSlices
} from "./service-targets.ts"

const app = { app: "reviews" }
const pairOf = (fields: Partial<Omit<KubeService, "meta">> = {}, name = "reviews"): KubeServicePair => {
  const kube = kubeService({ selector: app, ...fields, meta: { name } })
  const context = { cluster: "Kubernetes", mesh: defaultMeshConfig, namespaceAnnotations: noLabels }
  return { kube, service: convertService(kube, context) }
}
const podFacts = podFactsOf(pod(), {
  cluster: "Kubernetes",
  mesh: defaultMeshConfig,
  node: undefined,
  networks: networkAssignment({}, "Kubernetes", undefined)
})

/** A machine of a name, `shop` unless it says otherwise. */
const machine = (name: string, namespace = "shop", ports: Record<string, number> = {}) =>
  workload({ name, namespace, ports, facts: { labels: app } })

/** `service port → target port` of each target. */
const shown = (targets: ReadonlyArray<ServiceTarget>): ReadonlyArray<string> =>
  targets.map(
    ({ port, service, targetPort }) => `${service.name} ${port.number}/${port.protocol} ${targetPort}`
  )

/** A slice that lists an address, at port 9999. */
const at = (address: string, servicePortName = "http") =>
  endpointGroup({ endpoints: [endpoint({ addresses: [address], servicePortName, port: 9999 })] })

const dns = [
  kubePort({ name: "dns-tcp", port: 53, targetPort: 53 }),
  kubePort({ name: "dns", port: 53, targetPort: 53, protocol: "UDP" })
]

describe("targetsOfPod (S-20)", () => {
  it.each<[string, ReadonlyArray<KubeServicePair>, ReadonlyArray<string>]>([
    ["a port of a service that selects it", [pairOf()], ["reviews 80/HTTP 8080"]],
    ["nothing of a service without selector", [pairOf({ selector: noLabels })], []],
    ["nothing of a service that selects others", [pairOf({ selector: { app: "cart" } })], []],
    [
      "one port of each target port and protocol, the first",
      [pairOf({ ports: [kubePort({ port: 81, name: "http-old" }), kubePort()] })],
      ["reviews 81/HTTP 8080"]
    ],
    [
      "both ports of one number but two protocols",
      [pairOf({ ports: dns })],
      ["reviews 53/TCP 53", "reviews 53/UDP 53"]
    ],
    [
      "no port whose named target it lacks",
      [
        pairOf({
          ports: [kubePort({ targetPort: "web" }), kubePort({ name: "tcp", port: 90, targetPort: 9000 })]
        })
      ],
      ["reviews 90/TCP 9000"]
    ],
    [
      "the same port of two services",
      [pairOf(), pairOf({}, "reviews-too")],
      ["reviews 80/HTTP 8080", "reviews-too 80/HTTP 8080"]
    ]
  ])("are %s", (_, services, expected) => {
    assert.deepEqual(shown(targetsOfPod(services, podFacts)), expected)
  })
})

describe("targetsOfMachine (S-20, S-21)", () => {
  it.each<[string, KubeServicePair, Record<string, number>, ReadonlyArray<string>]>([
    ["the port", pairOf(), {}, ["reviews 80/HTTP 8080"]],
    ["the port through its port map", pairOf(), { http: 7070 }, ["reviews 80/HTTP 7070"]],
    ["nothing of a headless service", pairOf({ clusterIP: "None" }), {}, []],
    ["no UDP port", pairOf({ ports: dns }), {}, ["reviews 53/TCP 53"]],
    [
      "two service ports of one target port: they are not reduced",
      pairOf({ ports: [kubePort(), kubePort({ name: "http-2", port: 81 })] }),
      {},
      ["reviews 80/HTTP 8080", "reviews 81/HTTP 8080"]
    ]
  ])("are %s", (_, pair, ports, expected) => {
    assert.deepEqual(shown(targetsOfMachine([pair], machine("erp", "shop", ports))), expected)
  })
})

describe("machineOfProxy (S-20)", () => {
  it.each([
    ["the one of its name", ["shop/b", "shop/client", "shop/a"], "shop/client"],
    ["the first of its namespace", ["other/a", "shop/c", "shop/b"], "shop/b"],
    ["the first by namespace and name", ["z/a", "other/c", "other/b"], "other/b"],
    ["none, if there is none", [], undefined]
  ])("is %s", (_, machines, expected) => {
    const all = machines.map((text) => {
      const [namespace = "", name = ""] = text.split("/")
      return machine(name, namespace)
    })
    const found = machineOfProxy(proxy(), all)
    assert.strictEqual(found && `${found.namespace}/${found.name}`, expected)
  })
})

describe("targetsOfMetadata (S-20)", () => {
  const named = pairOf({ ports: [kubePort({ targetPort: "web" })] })
  const podPorts = [{ name: "web", containerPort: 8081, protocol: "TCP" }]
  it.each([
    ["nothing for a proxy without labels", [pairOf()], {}, noLabels, []],
    ["the numeric target port of one that names no ports", [pairOf()], {}, app, ["reviews 80/HTTP 8080"]],
    ["port 0 for a name that nothing resolves", [named], {}, app, ["reviews 80/HTTP 0"]],
    ["the port that it names", [named], { POD_PORTS: podPorts }, app, ["reviews 80/HTTP 8081"]],
    [
      "the port that it names as text",
      [named],
      { POD_PORTS: JSON.stringify(podPorts) },
      app,
      ["reviews 80/HTTP 8081"]
    ],
    [
      "nothing, if one named port is not there",
      [named, pairOf()],
      { POD_PORTS: [{ containerPort: 1 }] },
      app,
      []
    ],
    [
      "no ports at all from text that is not JSON",
      [pairOf()],
      { POD_PORTS: "{" },
      app,
      ["reviews 80/HTTP 8080"]
    ]
  ])("are %s", (_, services, metadata, labels, expected) => {
    assert.deepEqual(shown(targetsOfMetadata(services, proxy({ labels, metadata }))), expected)
  })
})

describe("targetsOfSlices (S-20)", () => {
  const { service } = pairOf({ selector: noLabels })
  it.each([
    [
      "of a slice that lists its first IP, once",
      [at("10.20.0.1"), at("10.20.0.1")],
      ["reviews 80/HTTP 9999"]
    ],
    ["not of its second IP", [at("10.20.0.2")], []],
    ["not of a port that the service lacks", [at("10.20.0.1", "grpc")], []]
  ])("are those %s", (_, groups, expected) => {
    const client = proxy({ ips: ["10.20.0.1", "10.20.0.2"] })
    assert.deepEqual(shown(targetsOfSlices(groups, () => service, podFacts, client)), expected)
  })

  it("are none of a service that is not there", () => {
    assert.deepEqual(
      targetsOfSlices([at("10.20.0.1")], () => undefined, podFacts, proxy({ ips: ["10.20.0.1"] })),
      []
    )
  })
})
