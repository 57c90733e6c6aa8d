import { assert, describe, it } from "@effect/vitest"
import { Label } from "@istiod-lite/model"
import { serviceEntry } from "@istiod-lite/model/testing"
import { acceptsStatusAddresses, statusAddresses } from "./status-addresses.ts"

const host = "entry.example"

describe("acceptsStatusAddresses (D-8)", () => {
  it.each([
    ["resolved by DNS", {}, {}, true],
    ["with endpoints", { resolution: "STATIC" }, {}, true],
    ["without resolution", { resolution: "NONE" }, {}, false],
    ["with addresses", { addresses: ["192.0.2.1"] }, {}, false],
    ["that opted out", {}, { [Label.enableV2AutoAllocation]: "False" }, false],
    ["that opted in", {}, { [Label.enableV2AutoAllocation]: "true" }, true]
  ] as const)("an entry %s", (_, fields, labels, expected) => {
    assert.strictEqual(acceptsStatusAddresses(serviceEntry({ ...fields, meta: { labels } })), expected)
  })
})

describe("statusAddresses (D-8)", () => {
  it.each([
    ["one of each family", ["240.240.0.1", "2001:2::1"], { ipv4: "240.240.0.1", ipv6: "2001:2::1" }],
    ["the last of several of a family", ["240.240.0.1", "240.240.0.2"], { ipv4: "240.240.0.2", ipv6: "" }],
    ["none that is no address", ["soon"], { ipv4: "", ipv6: "" }],
    ["none while nothing is written", [], { ipv4: "", ipv6: "" }]
  ])("are %s", (_, values, expected) => {
    const status = values.map((value) => ({ host, value }))
    assert.deepEqual(statusAddresses(serviceEntry(), status, host), expected)
  })

  it("are those of the host alone", () => {
    const status = [{ host: "other.example", value: "240.240.0.1" }]
    assert.deepEqual(statusAddresses(serviceEntry(), status, host), { ipv4: "", ipv6: "" })
  })

  it("are none of an entry that takes none", () => {
    const status = [{ host, value: "240.240.0.1" }]
    assert.isUndefined(statusAddresses(serviceEntry({ resolution: "NONE" }), status, host))
  })
})
