import { assert, describe, it } from "@effect/vitest"
import { kinds } from "./objects/kinds.ts"
import { similarName } from "./similar-name.ts"

describe("similarName", () => {
  it("finds what was meant by a name with typing errors", () => {
    for (const [written, meant] of [
      ["ServiceEntrie", "ServiceEntry"],
      ["WorkLoadEntry", "WorkloadEntry"],
      ["Servcie", "Service"],
      ["destination-rule", "DestinationRule"],
      ["pod", "Pod"],
      ["Gatewy", "Gateway"]
    ] as const)
      assert.strictEqual(similarName(written, kinds, 2), meant)
  })

  it("takes the nearest", () => {
    assert.strictEqual(similarName("clusterIPss", ["clusterIP", "clusterIPs"], 2), "clusterIPs")
  })

  it("leaves other names alone", () => {
    for (const other of ["Secret", "ServiceAccount", "Endpoints", "Pad", "", "RequestAuthentication"])
      assert.isUndefined(similarName(other, kinds, 2), other)
    assert.isUndefined(similarName("ingress", ["egress"], 2))
    assert.isUndefined(similarName("externalTrafficPolicy", ["internalTrafficPolicy"], 1))
  })
})
