import { assert, describe, it } from "@effect/vitest"
import type { XdsResource } from "@istiod-lite/model"
import { type DeltaRequest, DeltaSession } from "./delta-session.ts"
import { wildcardName } from "./type-session.ts"

const request = (parts: {
  readonly add?: ReadonlyArray<string>
  readonly drop?: ReadonlyArray<string>
  readonly has?: Record<string, string>
  readonly nonce?: string
  readonly error?: string
}): DeltaRequest => ({
  resourceNamesSubscribe: parts.add ?? [],
  resourceNamesUnsubscribe: parts.drop ?? [],
  initialResourceVersions: parts.has ?? {},
  responseNonce: parts.nonce ?? "",
  errorDetail: parts.error === undefined ? undefined : { message: parts.error }
})

/** A session with a world of resources behind it: name → version. */
const setup = (world: Record<string, string>, allowsWildcard = false) => {
  const subscribed = new Set<string>()
  const session = new DeltaSession(allowsWildcard, {
    subscribed: (name) => (subscribed.add(name), name),
    unsubscribed: (name) => subscribed.delete(name)
  })
  let responses = 0
  const generate = (names: ReadonlyArray<string>): ReadonlyArray<XdsResource> =>
    Object.keys(world)
      .filter((name) => names.includes(wildcardName) || names.includes(name))
      .map((name) => ({ name, version: world[name]!, bytes: new Uint8Array() }))
  /** What is sent now: `name@version`, and `-name` for a removal; undefined = nothing. */
  const flush = (): ReadonlyArray<string> | undefined => {
    if (!session.owes) return undefined
    const answer = session.respond(generate(session.wanted()))
    if (answer === undefined) return undefined
    session.sent({ nonce: `n${++responses}`, version: `v${responses}` })
    return [
      ...answer.resources.map((r) => `${r.name}@${r.version}`),
      ...answer.removed.map((name) => `-${name}`)
    ]
  }
  return { session, world, subscribed, flush }
}

describe("DeltaSession", () => {
  it("answers the first request, takes its ACK in silence", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    assert.strictEqual(session.onRequest(request({ add: ["a"] }), 0), "initial")
    assert.deepStrictEqual(flush(), ["a@1"])
    assert.strictEqual(session.onRequest(request({ nonce: "n1" }), 0), "ack")
    assert.isUndefined(flush())
    assert.deepStrictEqual(session.acknowledgement.accepted, { nonce: "n1", version: "v1" })
  })

  it("answers a name that is subscribed again, though the client has it", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(request({ add: ["a", "b"] }), 0)
    flush()
    assert.strictEqual(session.onRequest(request({ add: ["a"] }), 0), "subscription")
    assert.deepStrictEqual(flush(), ["a@1"])
  })

  it("answers a name that was given up and is subscribed again, also in one request", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(request({ add: ["a", "b"] }), 0)
    flush()
    session.onRequest(request({ drop: ["a"] }), 0)
    assert.isUndefined(flush())
    session.onRequest(request({ add: ["a"] }), 0)
    assert.deepStrictEqual(flush(), ["a@1"])
    session.onRequest(request({ add: ["b"], drop: ["b"] }), 0)
    assert.deepStrictEqual(flush(), ["b@1"])
  })

  it("sends no push of a name that was given up", () => {
    const { flush, session, subscribed, world } = setup({ a: "1", b: "1" })
    session.onRequest(request({ add: ["a", "b"] }), 0)
    flush()
    session.onRequest(request({ drop: ["a"], nonce: "n1" }), 0)
    world.a = "2"
    world.b = "2"
    session.markChanged(["a", "b"])
    assert.deepStrictEqual(flush(), ["b@2"])
    assert.deepStrictEqual([...subscribed], ["b"])
  })

  it("sends a client that reconnects only what differs, and tells it what is gone", () => {
    const { flush, session } = setup({ a: "1", b: "2", c: "1" })
    session.onRequest(request({ add: ["a", "b", "c", "d"], has: { a: "1", b: "1", d: "1", other: "1" } }), 0)
    assert.deepStrictEqual(flush(), ["b@2", "c@1", "-d"])
  })

  it("answers a client that reconnects and misses nothing, with nothing", () => {
    const { flush, session } = setup({ a: "1" })
    session.onRequest(request({ add: ["a"], has: { a: "1" } }), 0)
    assert.deepStrictEqual(flush(), [])
    assert.isUndefined(flush())
  })

  it("tells once that a name does not exist, and again only when asked again", () => {
    const { flush, session, world } = setup({})
    session.onRequest(request({ add: ["a"] }), 0)
    assert.deepStrictEqual(flush(), ["-a"])
    session.markChanged("all")
    assert.isUndefined(flush())
    session.onRequest(request({ add: ["a"] }), 0)
    assert.deepStrictEqual(flush(), ["-a"])
    world.a = "1"
    session.markChanged(["a"])
    assert.deepStrictEqual(flush(), ["a@1"])
    delete world.a
    session.markChanged(["a"])
    assert.deepStrictEqual(flush(), ["-a"])
  })

  it("counts subscriptions whatever the nonce", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(request({ add: ["a"] }), 0)
    flush()
    session.onRequest(request({ add: ["b"], nonce: "of another age" }), 0)
    assert.deepStrictEqual(flush(), ["b@1"])
    assert.isUndefined(session.acknowledgement.accepted)
    assert.strictEqual(session.onRequest(request({ nonce: "of another age" }), 0), "stale")
  })

  it("keeps a NACK with its message, sends nothing again, and goes on with the next change", () => {
    const { flush, session, world } = setup({ a: "1" })
    session.onRequest(request({ add: ["a"] }), 0)
    flush()
    assert.strictEqual(session.onRequest(request({ nonce: "n1", error: "no" }), 5), "nack")
    assert.isUndefined(flush())
    assert.deepStrictEqual(session.acknowledgement.refused, { nonce: "n1", message: "no", at: 5 })
    world.a = "2"
    session.markChanged(["a"])
    assert.deepStrictEqual(flush(), ["a@2"])
  })

  it("sends endpoints again after clusters, as delta clients wait for them without asking", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(request({ add: ["a", "b"] }), 0)
    flush()
    session.parentSent(session.names)
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
    assert.isUndefined(flush())
  })
})

describe("DeltaSession with a wildcard", () => {
  it("reads a first request without names as all there are, and removes what goes", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" }, true)
    session.onRequest(request({}), 0)
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
    delete world.a
    world.c = "1"
    session.markChanged("all")
    assert.deepStrictEqual(flush(), ["c@1", "-a"])
  })

  it("never sends again what did not change, however often everything may have", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" }, true)
    session.onRequest(request({}), 0)
    flush()
    session.markChanged("all")
    assert.isUndefined(flush())
    world.b = "2"
    session.markChanged("all")
    session.markChanged(["a", "b"])
    assert.deepStrictEqual(flush(), ["b@2"])
    session.markChanged("all")
    assert.isUndefined(flush())
  })

  it("resumes from the versions that the client has", () => {
    const { flush, session } = setup({ a: "1", b: "2" }, true)
    session.onRequest(request({ has: { a: "1", b: "1", gone: "1" } }), 0)
    assert.deepStrictEqual(flush(), ["b@2", "-gone"])
  })

  it("keeps the explicit names when the star is unsubscribed", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" }, true)
    session.onRequest(request({ add: [wildcardName, "a"] }), 0)
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
    session.onRequest(request({ drop: [wildcardName] }), 0)
    assert.isFalse(session.wildcard)
    world.a = "2"
    world.b = "2"
    session.markChanged("all")
    assert.deepStrictEqual(flush(), ["a@2"])
  })

  it("tells what became of a name that is unsubscribed while the star still covers it", () => {
    const { flush, session } = setup({ a: "1" }, true)
    session.onRequest(request({ add: [wildcardName, "a", "ghost"] }), 0)
    assert.deepStrictEqual(flush(), ["a@1", "-ghost"])
    session.onRequest(request({ drop: ["a", "ghost"] }), 0)
    assert.deepStrictEqual(flush(), ["a@1", "-ghost"])
  })

  it("may be subscribed later", () => {
    const { flush, session } = setup({ a: "1", b: "1" }, true)
    session.onRequest(request({ add: ["a"] }), 0)
    flush()
    session.onRequest(request({ add: [wildcardName] }), 0)
    assert.deepStrictEqual(flush(), ["b@1"])
  })

  it("is an ordinary name for types that have no wildcard", () => {
    const { flush, session } = setup({ a: "1" })
    session.onRequest(request({}), 0)
    assert.isFalse(session.wildcard)
    assert.deepStrictEqual(flush(), [])
  })
})

describe("DeltaSession, what goes first", () => {
  it("is sent before the rest, which stays owed", () => {
    const { flush, session, world } = setup({ a: "1", b: "1", c: "1" })
    session.onRequest(request({ add: ["a", "b", "c"] }), 0)
    flush()
    Object.assign(world, { a: "2", b: "2", c: "2" })
    session.markChanged("all")
    session.markFirst(["b"])
    assert.isTrue(session.owesFirst)
    assert.deepStrictEqual(flush(), ["b@2"])
    assert.isFalse(session.owesFirst)
    assert.deepStrictEqual(flush(), ["a@2", "c@2"])
    assert.isFalse(session.owes)
  })

  it("is only what the client has been sent", () => {
    const { flush, session, world } = setup({ a: "1", b: "1", c: "1" })
    session.onRequest(request({ add: ["a", "b", "c"] }), 0)
    session.markFirst(["a", "unrelated"])
    assert.isFalse(session.owesFirst)
    assert.deepStrictEqual(flush(), ["a@1", "b@1", "c@1"])
    world.a = "2"
    session.markFirst(["a", "unrelated"])
    assert.deepStrictEqual(flush(), ["a@2"])
    assert.isFalse(session.owes)
  })

  it("is nothing where nothing differs, or nothing can be generated", () => {
    const { flush, session, world } = setup({ a: "1", b: "1", c: "1" })
    session.onRequest(request({ add: ["a", "b", "c"] }), 0)
    flush()
    world.b = "2"
    session.markChanged(["b"])
    session.markFirst(["a"])
    assert.isUndefined(flush())
    session.markFirst(["a"])
    session.skip()
    assert.isFalse(session.owesFirst)
    assert.deepStrictEqual(flush(), ["b@2"])
  })
})
