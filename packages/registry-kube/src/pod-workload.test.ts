import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig } from "@istiod-lite/model"
import { pod } from "@istiod-lite/model/testing"
import { networkAssignment } from "./network-of.ts"
import { podFactsOf } from "./pod-facts.ts"
import { podWorkload } from "./pod-workload.ts"

const factsOf = (of: ReturnType<typeof pod>) =>
  podFactsOf(of, {
    cluster: "c1",
    mesh: defaultMeshConfig,
    node: undefined,
    networks: networkAssignment({}, "c1", undefined)
  })

describe("podWorkload (S-18)", () => {
  it("is healthy, of its cluster, and told apart from a WorkloadEntry of its name (D-6)", () => {
    const { cluster, health, kind, name } = podWorkload(factsOf(pod()), defaultMeshConfig)
    assert.deepEqual(
      { cluster, health, kind, name },
      { cluster: "c1", health: "HEALTHY", kind: "Pod", name: "reviews-1" }
    )
  })

  it("maps named TCP container ports, the first of a name", () => {
    const ports = [
      { name: "web", containerPort: 8080, protocol: "TCP" },
      { name: "web", containerPort: 8081, protocol: "TCP" },
      { name: "dns", containerPort: 53, protocol: "UDP" },
      { name: "", containerPort: 9090, protocol: "TCP" }
    ]
    assert.deepEqual(podWorkload(factsOf(pod({ ports })), defaultMeshConfig).ports, { web: 8080 })
  })

  it.each([
    ["the first address", false, ["10.20.0.1"]],
    ["all addresses with dual stack", true, ["10.20.0.1", "fd00::1"]]
  ])("has %s (S-16)", (_, dualStack, expected) => {
    const facts = factsOf(pod({ ips: ["10.20.0.1", "fd00::1"] }))
    assert.deepEqual(podWorkload(facts, { ...defaultMeshConfig, dualStack }).facts.addresses, expected)
  })
})
