import { assert, describe, it } from "@effect/vitest"
import type { ProxyView } from "@istiod-lite/mesh-policy"
import type { XdsResource } from "@istiod-lite/model"
import * as fc from "fast-check"
import { AssignmentEncoder } from "./assignment-encoder.ts"
import { SharedAssignments } from "./shared-assignments.ts"
import { assignmentInput, proxyView } from "./testing/arbitrary.ts"
import { view } from "./testing/inputs.ts"

const { scope } = view()
const name = "outbound|80||reviews"

/** A resource that tells what was read to make it. */
const resource = (version: string): XdsResource => ({ name, version, bytes: new Uint8Array() })

const setUp = (read: (of: ProxyView) => unknown = () => "all the same") => {
  const shared = new SharedAssignments()
  let made = 0
  const make = (of: ProxyView): XdsResource => {
    made++
    return resource(JSON.stringify(read(of)))
  }
  return {
    get: (of: ProxyView, revision = 1) => shared.get(of, name, revision, make),
    made: () => made
  }
}

describe("SharedAssignments", () => {
  it("gives every client what is made for it alone", () => {
    fc.assert(
      fc.property(assignmentInput, fc.array(proxyView, { minLength: 2, maxLength: 8 }), (input, clients) => {
        const shared = new SharedAssignments()
        const encoder = new AssignmentEncoder(100)
        const encode = (of: ProxyView) => encoder.encode({ ...input, view: of })
        for (const client of [input.view, ...clients].map((of) => ({ ...of, scope }))) {
          assert.deepStrictEqual(shared.get(client, input.name, 1, encode).bytes, encode(client).bytes)
        }
      }),
      { numRuns: 1000 }
    )
  })

  it("makes it once for clients that differ in name, address, labels and node, none of which is looked at", () => {
    const { get, made } = setUp(({ locality, proxy }) => [locality, proxy.network, proxy.cluster])
    const first = get(view({ scope }, { id: "a", ips: ["192.0.2.1"], node: "n1" }))
    assert.strictEqual(get(view({ scope, labels: { app: "b" } }, { id: "b", node: "n2" })), first)
    assert.strictEqual(made(), 1)
  })

  it("makes it for each client where labels, node or anything else of its own is looked at", () => {
    const reads: ReadonlyArray<(of: ProxyView) => unknown> = [
      ({ labels }) => labels,
      ({ proxy }) => proxy.node,
      ({ proxy }) => proxy.metadata["ISTIO_VERSION"],
      ({ proxy }) => ({ ...proxy })
    ]
    for (const read of reads) {
      const { get } = setUp(read)
      const one = view({ scope, labels: { app: "a" } }, { node: "n1", metadata: { ISTIO_VERSION: "1.30" } })
      const other = view({ scope, labels: { app: "b" } }, { node: "n2", metadata: { ISTIO_VERSION: "1.31" } })
      for (const client of [one, other, one, other])
        assert.strictEqual(get(client).version, JSON.stringify(read(client)))
    }
  })

  it("makes it for each place from which clients see, and again after a change", () => {
    const { get, made } = setUp()
    const near = view({ scope })
    get(near)
    get(view({ scope, locality: { region: "r1", zone: "", subzone: "" } }))
    get(view({ scope }, { network: "other" }))
    get(view({ scope: { ...scope } }))
    assert.strictEqual(made(), 4)
    get(near)
    assert.strictEqual(made(), 4)
    get(near, 2)
    assert.strictEqual(made(), 5)
  })
})
