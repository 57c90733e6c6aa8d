import { assert, describe, it } from "@effect/vitest"
import { ClusterLoadAssignment } from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { AssignmentEncoder } from "./assignment-encoder.ts"
import { toClusterLoadAssignment } from "./assignment-message.ts"
import { buildAssignment } from "./build-assignment.ts"
import type { AssignmentInput } from "./plan-assignment.ts"
import { assignmentInput, endpointGroups } from "./testing/arbitrary.ts"
import { groups, input } from "./testing/inputs.ts"
import { endpoint, endpointGroup } from "@istiod-lite/model/testing"

const generated = (of: AssignmentInput): Uint8Array =>
  ClusterLoadAssignment.encode(toClusterLoadAssignment(buildAssignment(of))).finish()

describe("AssignmentEncoder", () => {
  it("gives the bytes of the generated encoder, whatever the input", () => {
    fc.assert(
      fc.property(assignmentInput, (of) => {
        assert.deepStrictEqual(new AssignmentEncoder(8).encode(of).bytes, generated(of))
      }),
      { numRuns: 2000 }
    )
  })

  it("gives the same bytes from kept parts as from nothing, over many changes", () => {
    const change = fc.record({ at: fc.nat(), list: endpointGroups })
    fc.assert(
      fc.property(
        fc.array(assignmentInput, { minLength: 1, maxLength: 3 }),
        fc.array(change, { maxLength: 6 }),
        (clients, changes) => {
          const encoder = new AssignmentEncoder(100)
          let list = clients[0]?.endpoints?.groups ?? []
          for (const { at, list: more } of changes) {
            // One group changes, the others stay the values they were.
            list = [...more.slice(0, 1), ...list.toSpliced(at % (list.length + 1), 1)]
            const endpoints = groups(...list)
            for (const client of clients) {
              const of = { ...client, endpoints }
              assert.deepStrictEqual(encoder.encode(of).bytes, generated(of))
            }
          }
        }
      ),
      { numRuns: 500 }
    )
  })

  it("keeps a resource, its bytes and its version while the content is the same", () => {
    const encoder = new AssignmentEncoder(8)
    const first = encoder.encode(input({ endpoints: groups(endpointGroup()) }))
    const again = encoder.encode(input({ endpoints: groups(endpointGroup()) }))
    assert.strictEqual(again, first)
    const other = encoder.encode(
      input({ endpoints: groups(endpointGroup({ endpoints: [endpoint({ health: "UNHEALTHY" })] })) })
    )
    assert.notStrictEqual(other.version, first.version)
    assert.strictEqual(encoder.encode(input({ endpoints: groups(endpointGroup()) })).version, first.version)
  })

  it("has equal versions only for equal bytes of a name", () => {
    const bytesOf = new Map<string, string>()
    fc.assert(
      fc.property(assignmentInput, (of) => {
        const { bytes, version } = new AssignmentEncoder(8).encode(of)
        const text = Buffer.from(bytes).toString("base64")
        assert.strictEqual(bytesOf.get(version) ?? text, text)
        bytesOf.set(version, text)
      }),
      { numRuns: 500 }
    )
  })
})
