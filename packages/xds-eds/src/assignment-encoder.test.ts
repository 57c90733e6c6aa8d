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

const generated = (of: AssignmentInput): string =>
  base64(ClusterLoadAssignment.encode(toClusterLoadAssignment(buildAssignment(of))).finish())

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** Inputs that are as `one`, but for one part, which is as in `other`. */
const variants = (one: AssignmentInput, other: AssignmentInput): ReadonlyArray<AssignmentInput> => {
  const { cluster, gateways, mesh, name, peerMode, rule, service, view } = other
  return [{ cluster, name }, { gateways }, { mesh }, { peerMode }, { rule }, { service }, { view }].map(
    (part) => ({
      ...one,
      ...part
    })
  )
}

describe("AssignmentEncoder", () => {
  it("gives the bytes of the generated encoder, whatever the input", () => {
    fc.assert(
      fc.property(assignmentInput, (of) => {
        assert.strictEqual(base64(new AssignmentEncoder(8).encode(of).bytes), generated(of))
      }),
      { numRuns: 1000 }
    )
  })

  it("gives the same bytes from kept parts as from nothing, for clients that differ in one thing, over changes", () => {
    const change = fc.record({ at: fc.nat(), list: endpointGroups })
    fc.assert(
      fc.property(
        assignmentInput,
        assignmentInput,
        fc.array(change, { maxLength: 5 }),
        (one, other, changes) => {
          const encoder = new AssignmentEncoder(100)
          const clients = [one, ...variants(one, other)]
          let list = one.endpoints?.groups ?? []
          for (const { at, list: more } of [{ at: 0, list }, ...changes]) {
            // One group changes, the others stay the values they were, and so do most endpoints of the one that changes.
            const place = at % (list.length + 1)
            const changing = list[place]
            const [come, ...others] = more
            const stay = changing?.endpoints.toSpliced(at % 3, 1, ...(others[0]?.endpoints.slice(0, 2) ?? []))
            list = [
              ...(come === undefined ? [] : [come]),
              ...list.toSpliced(place, 1, ...(stay && changing ? [{ ...changing, endpoints: stay }] : []))
            ].slice(-4)
            const endpoints = groups(...list)
            for (const client of clients) {
              const of = { ...client, endpoints }
              assert.strictEqual(base64(encoder.encode(of).bytes), generated(of))
            }
          }
        }
      ),
      { numRuns: 150 }
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
        const { bytes, name, version } = new AssignmentEncoder(8).encode(of)
        const key = `${name} ${version}`
        assert.strictEqual(bytesOf.get(key) ?? base64(bytes), base64(bytes))
        bytesOf.set(key, base64(bytes))
      }),
      { numRuns: 500 }
    )
  })
})
