import { assert, describe, it } from "@effect/vitest"
import { serviceEntryPort, workload } from "@istiod-lite/model/testing"
import { instanceOf, instancesOf } from "./instances.ts"

describe("instanceOf (S-33)", () => {
  it.each([
    ["none of a unix socket", { addressKind: "unix", ports: { http: 7070 } }, { targetPort: 8080 }, 0],
    ["the workload's port of its name", { ports: { http: 7070 } }, { targetPort: 8080 }, 7070],
    ["the entry's target port", { ports: { web: 7070 } }, { targetPort: 8080 }, 8080],
    ["the number itself", {}, {}, 80]
  ] as const)("has port: %s", (_, of, port, expected) => {
    assert.strictEqual(instanceOf(workload(of), serviceEntryPort(port)).port, expected)
  })

  it("names the service port's number for clients of the older key (S-2)", () => {
    const found = instanceOf(workload(), serviceEntryPort({ number: 443, targetPort: 8443 }))
    assert.deepEqual([found.servicePortName, found.legacyClusterPortKey], ["http", 443])
  })

  it("is at the path of a unix address", () => {
    const of = workload({ addressKind: "unix", facts: { addresses: ["unix:///run/db"] } })
    assert.deepEqual(instanceOf(of, serviceEntryPort()).addresses, ["/run/db"])
  })
})

describe("instancesOf", () => {
  it("goes workload by workload, then port by port", () => {
    const all = instancesOf(
      [workload({ name: "a" }), workload({ name: "b" })],
      [serviceEntryPort(), serviceEntryPort({ name: "tls", number: 443 })]
    )
    assert.deepEqual(
      all.map(({ port, workloadName }) => `${workloadName}:${port}`),
      ["a:80", "a:443", "b:80", "b:443"]
    )
  })
})
