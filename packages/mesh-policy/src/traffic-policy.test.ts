import { assert, describe, it } from "@effect/vitest"
import type { DestinationRule, TrafficPolicy } from "@istiod-lite/model"
import { destinationRule, subset } from "@istiod-lite/model/testing"
import { demandedTlsMode, effectivePolicy, noTrafficPolicy } from "./traffic-policy.ts"

const policy = (fields: Partial<TrafficPolicy>): TrafficPolicy => ({ ...noTrafficPolicy, ...fields })

const rule = (trafficPolicy: TrafficPolicy | undefined, ofSubset?: TrafficPolicy): DestinationRule =>
  destinationRule({ subsets: [subset("v1", { trafficPolicy: ofSubset })], trafficPolicy })

const outlier = { minHealthPercent: 50 }
const balanced = {
  hasLoadBalancer: true,
  localityLbSetting: { enabled: true, distribute: [], failover: [], failoverPriority: ["a"] }
}

describe("effectivePolicy", () => {
  it("says nothing without a rule, or with an empty one", () => {
    assert.deepEqual(effectivePolicy(undefined, 80, ""), noTrafficPolicy)
    assert.deepEqual(effectivePolicy(rule(undefined), 80, "v1"), noTrafficPolicy)
  })

  it("lets a subset override field by field, load balancing as a whole", () => {
    const whole = policy({ outlierDetection: outlier, tlsMode: "SIMPLE", ...balanced })
    const merged = effectivePolicy(
      rule(whole, policy({ tlsMode: "DISABLE", hasLoadBalancer: true })),
      80,
      "v1"
    )
    assert.deepEqual(merged, policy({ outlierDetection: outlier, tlsMode: "DISABLE", hasLoadBalancer: true }))
    assert.deepEqual(effectivePolicy(rule(whole, policy({})), 80, "v1"), whole)
    assert.deepEqual(effectivePolicy(rule(whole, policy({ tlsMode: "DISABLE" })), 80, ""), whole)
  })

  it("lets a port's settings replace all others, inheriting nothing", () => {
    const ofPort = policy({ tlsMode: "DISABLE" })
    const whole = policy({ outlierDetection: outlier, portLevelSettings: [{ port: 80, policy: ofPort }] })
    assert.deepEqual(effectivePolicy(rule(whole), 80, ""), ofPort)
    assert.deepEqual(effectivePolicy(rule(whole), 443, "").outlierDetection, outlier)
    const ofSubset = policy({ portLevelSettings: [{ port: 443, policy: ofPort }] })
    assert.deepEqual(effectivePolicy(rule(whole, ofSubset), 443, "v1"), ofPort)
    assert.deepEqual(effectivePolicy(rule(whole, policy({ outlierDetection: outlier })), 80, "v1"), {
      ...ofPort,
      outlierDetection: outlier
    })
  })

  it("takes the rule's policy for a subset that is not there", () => {
    const whole = policy({ outlierDetection: outlier })
    assert.deepEqual(effectivePolicy(rule(whole), 80, "v9"), whole)
  })
})

const ofPort = (tlsMode: TrafficPolicy["tlsMode"]) => [{ port: 80, policy: policy({ tlsMode }) }]

describe("demandedTlsMode", () => {
  it("goes from the port to the policy around it, from the subset to the rule", () => {
    const whole = policy({ tlsMode: "ISTIO_MUTUAL", portLevelSettings: ofPort("DISABLE") })
    assert.strictEqual(demandedTlsMode(rule(whole), 80, ""), "DISABLE")
    assert.strictEqual(demandedTlsMode(rule(whole), 443, ""), "ISTIO_MUTUAL")
    assert.strictEqual(demandedTlsMode(rule(whole), 80, "v1"), "DISABLE")
    assert.strictEqual(demandedTlsMode(rule(whole, policy({ tlsMode: "SIMPLE" })), 80, "v1"), "SIMPLE")
  })

  it("inherits through a port's settings that say nothing of TLS", () => {
    const whole = policy({ tlsMode: "ISTIO_MUTUAL", portLevelSettings: ofPort(undefined) })
    assert.strictEqual(demandedTlsMode(rule(whole), 80, ""), "ISTIO_MUTUAL")
  })

  it("is undefined without a rule and for a subset that is not there", () => {
    assert.isUndefined(demandedTlsMode(undefined, 80, ""))
    assert.isUndefined(demandedTlsMode(rule(policy({ tlsMode: "SIMPLE" })), 80, "v9"))
  })
})
