import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, type Service } from "@istiod-lite/model"
import { proxy, service, sidecar } from "@istiod-lite/model/testing"
import { PolicyFixture } from "../testing.ts"
import { visibilityOf } from "./visibility-of.ts"

const reviews = service()
const tax = service({ hostname: "tax.finance.svc.cluster.local", namespace: "finance" })
const secret = service({
  hostname: "secret.finance.svc.cluster.local",
  namespace: "finance",
  exportTo: ["."]
})
const rival = { ...reviews, namespace: "finance" }

const told = (mesh: PolicyFixture, of: Service) => visibilityOf(defaultMeshConfig, mesh.view(proxy()), of)

describe("visibilityOf", () => {
  const open = new PolicyFixture().serve(reviews, tax, secret, rival)
  const narrow = new PolicyFixture()
    .serve(reviews, tax)
    .apply("Sidecar", sidecar(["./*"], { meta: { name: "own-only" } }))

  it("tells what is seen from what is not exported", () => {
    assert.deepEqual(told(open, reviews), { _tag: "Visible", service: reviews })
    assert.deepEqual(told(open, secret), { _tag: "NotExported", audience: ["finance"] })
  })

  it("names the definition of another namespace that has the host", () => {
    assert.deepEqual(told(open, rival), { _tag: "OtherNamespace", winner: reviews })
  })

  it("names the Sidecar that leaves a service out", () => {
    assert.deepEqual(told(narrow, tax), { _tag: "NotImported", sidecar: "shop/own-only" })
  })
})
