import { assert, describe, it } from "@effect/vitest"
import { endpoint, endpointGroup, entryService, proxy, serviceEntry } from "@istiod-lite/model/testing"
import type { HostPart } from "./host-part.ts"
import { targetsAt } from "./service-targets.ts"

const group = endpointGroup({
  endpoints: [
    endpoint({ addresses: ["10.20.9.9"], port: 8080, legacyClusterPortKey: 80 }),
    endpoint({ addresses: ["10.20.9.9"], port: 1, legacyClusterPortKey: 443 }),
    endpoint({ addresses: ["10.20.9.8"], port: 8081, legacyClusterPortKey: 80 })
  ]
})
const at = (ip: string): ReadonlyArray<HostPart> =>
  ip === "10.20.9.9" || ip === "10.20.9.8" ? [{ entry: serviceEntry(), group }] : []

describe("targetsAt (S-20)", () => {
  it.each([
    ["the ports of the service that are at its IP", {}, [8080]],
    ["those at any of its IPs", { ips: ["10.20.9.9", "10.20.9.8"] }, [8080, 8081]],
    ["those of a proxy without namespace", { namespace: "" }, [8080]],
    ["none of another namespace", { namespace: "bank" }, []],
    ["none at another IP", { ips: ["10.20.9.7"] }, []]
  ])("are %s", (_, fields, expected) => {
    const targets = targetsAt(proxy(fields), at, () => entryService())
    assert.deepEqual(
      targets.map(({ targetPort }) => targetPort),
      expected
    )
  })

  it("are none of a service that is not there", () =>
    assert.deepEqual(
      targetsAt(proxy(), at, () => undefined),
      []
    ))
})
