import { assert, describe, it } from "@effect/vitest"
import { endpoint } from "@istiod-lite/model/testing"
import { describeExclusion } from "./describe-exclusion.ts"
import type { ExclusionReason } from "./exclusion.ts"

const text = (reason: ExclusionReason): string => describeExclusion({ endpoint: endpoint(), reason }).text

describe("describeExclusion", () => {
  it("names the endpoint, the facts, the rule and what to change", () => {
    const reason = { _tag: "OtherPort", wanted: "http", actual: "web" } as const
    assert.deepStrictEqual(describeExclusion({ endpoint: endpoint(), reason }), {
      rule: "S-62",
      text: '10.20.0.1:8080 (pod shop/reviews-1) serves port name "web", the service port is named "http"',
      remedy: "give the port the same name in the service and in the endpoint's ports"
    })
  })

  it("names the winner of an address", () => {
    const origin = { kind: "WorkloadEntry", name: "vm", namespace: "shop", creationTime: "" } as const
    const reason = { _tag: "AddressTaken", address: "10.20.0.1:8080", winner: endpoint({ origin }) } as const
    assert.include(text(reason), "as WorkloadEntry shop/vm, which is sent")
  })

  it("tells a missing label from another value", () => {
    const reason = { _tag: "OtherSubset", subset: "v1", label: "version", wanted: "v1" } as const
    assert.include(text({ ...reason, actual: undefined }), "label version is missing")
    assert.include(text({ ...reason, actual: "v2" }), 'label version is "v2", not "v1"')
  })

  it("speaks of an endpoint that has no address", () => {
    const { text } = describeExclusion({
      endpoint: endpoint({ addresses: [""] }),
      reason: { _tag: "NoAddress", network: "far" }
    })
    assert.strictEqual(
      text,
      "an endpoint without address (pod shop/reviews-1) has no address, and no gateway leads to its network far"
    )
  })
})
