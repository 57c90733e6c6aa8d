import { assert, describe, it } from "@effect/vitest"
import { noTrafficPolicy } from "@istiod-lite/mesh-policy"
import { defaultMeshConfig, type LocalityLbSetting, type TrafficPolicy } from "@istiod-lite/model"
import { service } from "@istiod-lite/model/testing"
import { planLocalities } from "./locality-plan.ts"

const outlierDetection = { minHealthPercent: 0 }
const distribute = [{ from: "eu", to: { eu: 100 } }]

const setting = (fields: Partial<LocalityLbSetting> = {}): LocalityLbSetting => ({
  enabled: true,
  distribute: [],
  failover: [],
  failoverPriority: [],
  ...fields
})

const plan = (
  policy: Partial<TrafficPolicy>,
  mesh: LocalityLbSetting | undefined = defaultMeshConfig.localityLbSetting,
  of = service()
) => planLocalities({ ...noTrafficPolicy, ...policy }, of, mesh)

describe("planLocalities", () => {
  it("fails over by locality with outlier detection, by the mesh's default alone", () => {
    assert.deepStrictEqual(plan({}), { kind: "none" })
    assert.deepStrictEqual(plan({ outlierDetection }), {
      kind: "failover",
      labels: [],
      byLocality: true,
      regions: []
    })
    assert.deepStrictEqual(plan({ outlierDetection }, setting({ enabled: false })), { kind: "none" })
  })

  it("takes the rule's setting for the mesh's, also when it is switched off", () => {
    const off = setting({ enabled: false, distribute })
    assert.deepStrictEqual(plan({ outlierDetection, localityLbSetting: off }), { kind: "none" })
    const own = setting({ failoverPriority: ["zone"] })
    const mesh = setting({ distribute })
    assert.deepStrictEqual(plan({ outlierDetection, localityLbSetting: own }, mesh), {
      kind: "failover",
      labels: ["zone"],
      byLocality: false,
      regions: []
    })
  })

  it("distributes rather than fails over, and without outlier detection", () => {
    const both = setting({ distribute, failoverPriority: ["zone"] })
    assert.deepStrictEqual(plan({ localityLbSetting: both }), { kind: "distribute", rules: distribute })
    assert.deepStrictEqual(plan({}, both), { kind: "distribute", rules: distribute })
  })

  it("orders by labels and then by locality if regions are named beside labels", () => {
    const failover = [{ from: "eu", to: "us" }]
    const both = setting({ failover, failoverPriority: ["zone"] })
    assert.deepStrictEqual(plan({ outlierDetection, localityLbSetting: both }), {
      kind: "failover",
      labels: ["zone"],
      byLocality: true,
      regions: failover
    })
  })

  it("prefers the zone or node of trafficDistribution, before the mesh's setting and behind the rule's", () => {
    const near = service({ trafficDistribution: "PreferSameNode" })
    const labels = [
      "topology.istio.io/network",
      "topology.kubernetes.io/region",
      "topology.kubernetes.io/zone",
      "topology.istio.io/subzone",
      "kubernetes.io/hostname"
    ]
    const expected = { kind: "failover", labels, byLocality: false, regions: [] } as const
    assert.deepStrictEqual(plan({}, setting({ distribute }), near), expected)
    const zone = service({ trafficDistribution: "PreferSameZone" })
    assert.deepStrictEqual(plan({}, undefined, zone), { ...expected, labels: labels.slice(0, 3) })
    assert.deepStrictEqual(plan({ localityLbSetting: setting({ enabled: false }) }, undefined, near), {
      kind: "none"
    })
  })
})
