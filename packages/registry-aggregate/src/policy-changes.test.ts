import { assert, describe, it } from "@effect/vitest"
import { objectMeta } from "@istiod-lite/model/testing"
import { saysSomethingElse } from "./policy-changes.ts"

const policy = {
  meta: objectMeta({ name: "a", namespace: "shop" }),
  host: "cart",
  exportTo: new Set(["."]),
  subsets: [{ name: "v1", labels: { version: "v1" } }]
}
type Policy = typeof policy
const withMeta = (meta: Partial<Policy["meta"]>): Policy => ({ ...policy, meta: { ...policy.meta, ...meta } })

describe("saysSomethingElse", () => {
  it.each<[string, Policy]>([
    ["written again", structuredClone(policy)],
    ["a version", withMeta({ resourceVersion: "2" })],
    ["an annotation of a tool", withMeta({ annotations: { "meta.helm.sh/release-name": "shop" } })],
    ["a label of a tool", withMeta({ labels: { "app.kubernetes.io/managed-by": "Helm" } })]
  ])("is false for %s", (_, now) => {
    assert.isFalse(saysSomethingElse({ key: "shop/a", old: policy, now }))
  })

  it.each<[string, Policy | undefined]>([
    ["a deletion", undefined],
    ["a field", { ...policy, host: "till" }],
    ["a member of a set", { ...policy, exportTo: new Set(["*"]) }],
    ["a nested field", { ...policy, subsets: [{ name: "v1", labels: { version: "v2" } }] }],
    ["another age", withMeta({ creationTime: "2026-03-01T00:00:00Z" })],
    ["an annotation of Istio", withMeta({ annotations: { "networking.istio.io/exportTo": "." } })],
    ["a label of Istio", withMeta({ labels: { "istio.io/rev": "canary" } })]
  ])("is true for %s", (_, now) => {
    assert.isTrue(saysSomethingElse({ key: "shop/a", old: policy, now }))
  })

  it("is true for an object that is new", () => {
    assert.isTrue(saysSomethingElse({ key: "shop/a", old: undefined, now: policy }))
  })
})
