import { assert, describe, it } from "@effect/vitest"
import {
  Annotation,
  defaultMeshConfig,
  type KubeService,
  noLabels,
  type WorkloadInstance
} from "@istiod-lite/model"
import { kubePort, kubeService, workload } from "@istiod-lite/model/testing"
import { convertService } from "./convert-service.ts"
import { machineEndpoints, selectsMachines } from "./machine-endpoints.ts"

const context = { cluster: "c1", mesh: defaultMeshConfig, namespaceAnnotations: noLabels }
const machine = (fields: Parameters<typeof workload>[0] = {}): WorkloadInstance =>
  workload({ sendUnhealthy: true, discoverability: "AlwaysDiscoverable", ...fields })
const endpointsOf = (kube: KubeService, ...machines: ReadonlyArray<WorkloadInstance>) =>
  machineEndpoints(convertService(kube, context), kube, machines, "c1")

describe("selectsMachines (S-21)", () => {
  it.each([
    ["with a selector", { selector: { app: "erp" } }, noLabels, true],
    ["without a selector", {}, noLabels, false],
    ["that is headless", { selector: { app: "erp" }, clusterIP: "None" }, noLabels, false],
    [
      "of an external name",
      { selector: { app: "erp" }, type: "ExternalName", externalName: "x.example" },
      noLabels,
      false
    ],
    ["exported to nobody", { selector: { app: "erp" } }, { [Annotation.exportTo]: "~" }, false]
  ])("a service %s", (_, fields, annotations, expected) => {
    assert.strictEqual(
      selectsMachines(convertService(kubeService({ ...fields, meta: { annotations } }), context)),
      expected
    )
  })
})

describe("machineEndpoints (S-21)", () => {
  it("are in the order of ports, then machines, without what only slices give", () => {
    const kube = kubeService({ ports: [kubePort(), kubePort({ name: "tcp", port: 90, targetPort: 9000 })] })
    const group = endpointsOf(kube, machine(), machine({ name: "erp-2", ports: { tcp: 9001 } }))
    assert.deepEqual(
      group?.endpoints.map(({ port, servicePortName }) => `${servicePortName}:${port}`),
      ["http:8080", "http:8080", "tcp:9000", "tcp:9001"]
    )
    const [first] = group?.endpoints ?? []
    assert.deepInclude(first, {
      discoverability: "",
      sendUnhealthy: false,
      legacyClusterPortKey: 0,
      health: "UNKNOWN"
    })
    assert.strictEqual(group?.shard, "Kubernetes/c1")
  })

  it.each([
    ["a hostname", machine({ addressKind: "hostname" }), kubeService(), "AddressNotIp"],
    ["a unix path", machine({ addressKind: "unix" }), kubeService(), "AddressNotIp"],
    [
      "no port of the target's name",
      machine(),
      kubeService({ ports: [kubePort({ targetPort: "web" })] }),
      "NamedPortMissing"
    ]
  ] as const)("hold a machine back with %s", (_, of, kube, reason) => {
    const group = endpointsOf(kube, of)
    assert.deepEqual(group?.endpoints, [])
    assert.deepEqual(group?.heldBack, [{ address: "192.0.2.1", reason, object: "WorkloadEntry shop/erp-1" }])
  })

  it("are no group where there is no machine", () => assert.isUndefined(endpointsOf(kubeService())))
})
