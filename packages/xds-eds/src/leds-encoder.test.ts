import { assert, describe, it } from "@effect/vitest"
import type { EndpointGroup, XdsChanges } from "@istiod-lite/model"
import { endpoint, endpointGroup, proxy } from "@istiod-lite/model/testing"
import { ClusterLoadAssignment } from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { AssignmentEncoder } from "./assignment-encoder.ts"
import { asksForLeds, isLedsVersion, type LedsAssignment, LedsEncoder } from "./leds-encoder.ts"
import type { AssignmentInput } from "./plan-assignment.ts"
import { assignmentInput, endpointGroups } from "./testing/arbitrary.ts"
import { gateway, groups, input } from "./testing/inputs.ts"
import { LedsClient, resolved } from "./testing/leds-client.ts"
import { indexGateways } from "./network-gateways.ts"

const setUp = (threshold = 1) => {
  const whole = new AssignmentEncoder(100)
  return { whole, leds: new LedsEncoder(whole, { threshold }, 100) }
}

/** A stream that remembers of each collection what it has told its client. */
class Stream {
  readonly #client: LedsClient
  readonly #versions = new Map<string, string>()

  constructor(client: LedsClient) {
    this.#client = client
  }

  /** Sends the client what it lacks; what it has then, and how much that took. */
  send({ assignment, collections }: LedsAssignment): {
    readonly state: unknown
    readonly changes: XdsChanges
  } {
    const decoded = ClusterLoadAssignment.decode(assignment.bytes)
    const names = this.#client.assigned(decoded)
    const all: Array<XdsChanges> = []
    for (const { name, resource } of collections.values()) {
      assert.include(names, name)
      const { members, version } = resource
      const changes = members?.(this.#versions.get(name)) ?? { resources: [], removed: [] }
      this.#versions.set(name, version)
      this.#client.take(name, changes)
      all.push(changes)
    }
    return {
      state: this.#client.resolve(decoded),
      changes: {
        resources: all.flatMap(({ resources }) => resources),
        removed: all.flatMap(({ removed }) => removed)
      }
    }
  }
}

/** `count` slices of `size` endpoints each, all in one locality. */
const slices = (count: number, size: number): ReadonlyArray<EndpointGroup> =>
  Array.from({ length: count }, (_, i) =>
    endpointGroup({
      endpoints: Array.from({ length: size }, (_, j) => endpoint({ addresses: [`10.1.${i}.${j}`] }))
    })
  )

/** The first slice with its first endpoint changed. */
const withFirst = (
  [first, ...others]: ReadonlyArray<EndpointGroup>,
  change: Parameters<typeof endpoint>[0]
): ReadonlyArray<EndpointGroup> =>
  first === undefined
    ? []
    : [{ ...first, endpoints: [endpoint(change), ...first.endpoints.slice(1)] }, ...others]

const of = (list: ReadonlyArray<EndpointGroup>): AssignmentInput => input({ endpoints: groups(...list) })

const needed = (leds: LedsAssignment | undefined): LedsAssignment => {
  assert.isDefined(leds)
  return leds
}

describe("LedsEncoder", () => {
  it("tells clients, whenever they come and however long they were away, what the full assignment says", () => {
    const step = fc.record({
      at: fc.nat(),
      list: endpointGroups,
      reconnects: fc.constantFrom("one", "other", "none"),
      asleep: fc.boolean(),
      restarts: fc.integer({ min: 0, max: 9 }).map((n) => n === 0)
    })
    let compared = 0
    fc.assert(
      fc.property(assignmentInput, fc.array(step, { maxLength: 12 }), (first, steps) => {
        let { leds, whole } = setUp()
        const clients = { one: new LedsClient(), other: new LedsClient() }
        const streams = { one: new Stream(clients.one), other: new Stream(clients.other) }
        let list = first.endpoints?.groups ?? []
        for (const { asleep, at, list: more, reconnects, restarts } of steps) {
          list = [...more.slice(0, 1), ...list.toSpliced(at % (list.length + 1), 1)]
          if (restarts) ({ leds, whole } = setUp())
          // A new stream knows nothing, while the client still has what it had.
          if (restarts || reconnects === "one") streams.one = new Stream(clients.one)
          if (restarts || reconnects === "other") streams.other = new Stream(clients.other)
          const now = { ...first, endpoints: groups(...list) }
          const told = leds.encode(now)
          if (told === undefined) {
            const none = ClusterLoadAssignment.decode(whole.encode(now).bytes)
            for (const client of Object.values(clients)) client.assigned(none)
            streams.one = new Stream(clients.one)
            streams.other = new Stream(clients.other)
            continue
          }
          compared++
          for (const stream of asleep ? [streams.one] : [streams.one, streams.other])
            assert.deepStrictEqual(stream.send(told).state, resolved(whole.encode(now).bytes))
        }
      }),
      { numRuns: 400 }
    )
    assert.isAbove(compared, 400)
  }, 60_000)

  it("sends one endpoint where one of 2,000 changed, and nothing but its name where it went", () => {
    const { leds } = setUp(1000)
    const stream = new Stream(new LedsClient())
    const list = slices(20, 100)
    const { assignment } = needed(leds.encode(of(list)))
    assert.lengthOf(stream.send(needed(leds.encode(of(list)))).changes.resources, 2000)
    const changes = [{ health: "UNHEALTHY" as const }, { addresses: ["10.9.9.9"] }]
    for (const change of changes) {
      const changed = needed(leds.encode(of(withFirst(list, change))))
      assert.strictEqual(changed.assignment, assignment)
      const sent = stream.send(changed).changes
      assert.lengthOf(sent.resources, 1)
      assert.lengthOf(sent.removed, 0)
    }
    const [first, ...others] = list
    assert.isDefined(first)
    const fewer = [{ ...first, endpoints: first.endpoints.slice(1) }, ...others]
    const gone = stream.send(needed(leds.encode(of(fewer)))).changes
    assert.lengthOf(gone.resources, 0)
    assert.lengthOf(gone.removed, 1)
  })

  it("shares what it sends between streams that are as far", () => {
    const { leds } = setUp()
    const list = slices(2, 10)
    const streams = [new Stream(new LedsClient()), new Stream(new LedsClient())]
    const [all, allAgain] = streams.map((stream) => stream.send(needed(leds.encode(of(list)))).changes)
    assert.strictEqual(all?.resources[0]?.bytes, allAgain?.resources[0]?.bytes)
    const changed = of(withFirst(list, { health: "UNHEALTHY" }))
    const [one, other] = streams.map((stream) => stream.send(needed(leds.encode(changed))).changes)
    assert.strictEqual(one?.resources[0]?.bytes, other?.resources[0]?.bytes)
  })

  it("gives way to full assignments where endpoints are few, stand twice, or are behind gateways", () => {
    const { leds } = setUp(20)
    assert.isDefined(leds.encode(of(slices(2, 10))))
    assert.isUndefined(leds.encode(of(slices(1, 19))))
    assert.isUndefined(leds.encode(of([...slices(2, 10), ...slices(1, 1)])))
    const endpoints = groups(...slices(2, 10))
    assert.isUndefined(
      leds.encode(input({ endpoints, gateways: indexGateways([gateway("far", "192.0.2.1")]) }))
    )
    assert.isUndefined(leds.encode(input({ endpoints, service: undefined })))
  })

  it("marks the versions of assignments that name collections", () => {
    const { leds, whole } = setUp()
    const large = of(slices(1, 2))
    assert.isTrue(isLedsVersion(needed(leds.encode(large)).assignment.version))
    assert.isFalse(isLedsVersion(whole.encode(large).version))
  })
})

const asksBy = (value: unknown): boolean => asksForLeds(proxy({ metadata: { ISTIOD_LITE_LEDS: value } }))

describe("asksForLeds", () => {
  it("goes by the node's metadata", () => {
    assert.deepStrictEqual(["true", "1", true, "false", undefined].map(asksBy), [
      true,
      true,
      true,
      false,
      false
    ])
  })
})
