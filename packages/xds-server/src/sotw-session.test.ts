import { assert, describe, it } from "@effect/vitest"
import type { XdsResource } from "@istiod-lite/model"
import { type SotwRequest, SotwSession } from "./sotw-session.ts"
import { wildcardName } from "./type-session.ts"

const ask = (names: ReadonlyArray<string>, nonce = "", error?: string): SotwRequest => ({
  resourceNames: names,
  responseNonce: nonce,
  errorDetail: error === undefined ? undefined : { message: error }
})

/** A session with a world of resources behind it: name → version. */
const setup = (world: Record<string, string>, allRequired = false) => {
  const subscribed = new Set<string>()
  const session = new SotwSession(allRequired, {
    subscribed: (name) => (subscribed.add(name), name),
    unsubscribed: (name) => subscribed.delete(name)
  })
  let responses = 0
  const generate = (names: ReadonlyArray<string>): ReadonlyArray<XdsResource> =>
    Object.keys(world)
      .filter((name) => names.includes(wildcardName) || names.includes(name))
      .map((name) => ({ name, version: world[name]!, bytes: new Uint8Array() }))
  /** What is sent now, as `name@version`; undefined = nothing. */
  const flush = (): ReadonlyArray<string> | undefined => {
    if (!session.owes) return undefined
    const answer = session.respond(generate(session.wanted()))
    if (answer !== undefined) session.sent({ nonce: `n${++responses}`, version: `v${responses}` })
    return answer?.resources.map(({ name, version }) => `${name}@${version}`)
  }
  return { session, world, subscribed, flush }
}

describe("SotwSession", () => {
  it("answers the first request, takes its ACK in silence", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    assert.strictEqual(session.onRequest(ask(["a", "b"]), 0), "initial")
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
    assert.strictEqual(session.onRequest(ask(["a", "b"], "n1"), 0), "ack")
    assert.isUndefined(flush())
    assert.deepStrictEqual(session.acknowledgement.accepted, { nonce: "n1", version: "v1" })
  })

  it("answers a first request that carries a nonce of an earlier stream, and one that asks for nothing", () => {
    const first = setup({ a: "1" })
    assert.strictEqual(first.session.onRequest(ask(["a"], "old"), 0), "initial")
    assert.deepStrictEqual(first.flush(), ["a@1"])
    const none = setup({ a: "1" })
    none.session.onRequest(ask([]), 0)
    assert.deepStrictEqual(none.flush(), [])
  })

  it("sends of a push only what is subscribed and differs", () => {
    const { flush, session, world } = setup({ a: "1", b: "1", c: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    flush()
    world.b = "2"
    world.c = "2"
    session.markChanged(["b", "c"])
    assert.deepStrictEqual(flush(), ["b@2"])
    session.markChanged("all")
    assert.isUndefined(flush())
  })

  it("merges pushes that come before it can send into one response with the newest version", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    flush()
    world.a = "2"
    session.markChanged(["a"])
    world.a = "3"
    world.b = "2"
    session.markChanged(["a", "b"])
    assert.deepStrictEqual(flush(), ["a@3", "b@2"])
    assert.isUndefined(flush())
  })

  it("answers added names with these alone, and a removal not at all", () => {
    const { flush, session, subscribed } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a"]), 0)
    flush()
    assert.strictEqual(session.onRequest(ask(["a", "b"], "n1"), 0), "subscription")
    assert.deepStrictEqual(flush(), ["b@1"])
    assert.strictEqual(session.onRequest(ask(["b"], "n2"), 0), "ack")
    assert.isUndefined(flush())
    assert.deepStrictEqual([...subscribed], ["b"])
  })

  it("answers a name that was given up and is asked for again, though it did not change", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    flush()
    session.onRequest(ask(["a"], "n1"), 0)
    session.onRequest(ask(["a", "b"], "n1"), 0)
    assert.deepStrictEqual(flush(), ["b@1"])
  })

  it("answers a request without nonce in full, as a new start", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    flush()
    assert.strictEqual(session.onRequest(ask(["a", "b"]), 0), "subscription")
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
  })

  it("loses no subscription to a stale nonce", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a"]), 0)
    flush()
    world.a = "2"
    session.markChanged(["a"])
    flush()
    // The client asked for b before it saw the second response.
    assert.strictEqual(session.onRequest(ask(["a", "b"], "n1"), 0), "stale")
    assert.deepStrictEqual(flush(), ["b@1"])
    assert.isUndefined(session.acknowledgement.accepted)
  })

  it("keeps a NACK with its message and time, sends nothing again, and goes on with the next change", () => {
    const { flush, session, world } = setup({ a: "1" })
    session.onRequest(ask(["a"]), 0)
    flush()
    assert.strictEqual(session.onRequest(ask(["a"], "n1", "port 0 is no port"), 77), "nack")
    assert.isUndefined(flush())
    assert.deepStrictEqual(session.acknowledgement.refused, {
      nonce: "n1",
      message: "port 0 is no port",
      at: 77
    })
    assert.isUndefined(session.acknowledgement.accepted)
    world.a = "2"
    session.markChanged(["a"])
    assert.deepStrictEqual(flush(), ["a@2"])
    session.onRequest(ask(["a"], "n2"), 78)
    assert.deepStrictEqual(session.acknowledgement.accepted, { nonce: "n2", version: "v2" })
    assert.strictEqual(session.acknowledgement.refused?.message, "port 0 is no port")
  })

  it("takes no part in unsubscribed names when the stream closes", () => {
    const { session, subscribed } = setup({ a: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    session.close()
    assert.strictEqual(subscribed.size, 0)
  })
})

describe("SotwSession, endpoints that new clusters wait for", () => {
  it("answers the client that asks again after clusters were sent, once", () => {
    const { flush, session } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    flush()
    session.onRequest(ask(["a", "b"], "n1"), 0)
    session.parentSent()
    assert.strictEqual(session.onRequest(ask(["a", "b"], "n1"), 0), "subscription")
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
    assert.strictEqual(session.onRequest(ask(["a", "b"], "n2"), 0), "ack")
    assert.isUndefined(flush())
  })

  it("answers also if the response before was never acknowledged", () => {
    const { flush, session } = setup({ a: "1" })
    session.onRequest(ask(["a"]), 0)
    flush()
    session.parentSent()
    session.onRequest(ask(["a"], "n1"), 0)
    assert.deepStrictEqual(flush(), ["a@1"])
  })

  it("tells the ACK of endpoints that followed the clusters from asking again", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" })
    session.onRequest(ask(["a", "b"]), 0)
    flush()
    session.parentSent()
    world.a = "2"
    session.markChanged(["a"])
    assert.deepStrictEqual(flush(), ["a@2"])
    assert.strictEqual(session.onRequest(ask(["a", "b"], "n2"), 0), "ack")
    assert.isUndefined(flush())
    session.onRequest(ask(["a", "b"], "n2"), 0)
    assert.deepStrictEqual(flush(), ["a@2", "b@1"])
  })

  it("is satisfied by a response that holds all of them", () => {
    const { flush, session, world } = setup({ a: "1" })
    session.onRequest(ask(["a"]), 0)
    flush()
    session.parentSent()
    world.a = "2"
    session.markChanged("all")
    flush()
    session.onRequest(ask(["a"], "n2"), 0)
    session.onRequest(ask(["a"], "n2"), 0)
    assert.isUndefined(flush())
  })
})

describe("SotwSession of a type whose responses hold everything", () => {
  it("reads no names as all there are, and sends all of them when one changes or goes", () => {
    const { flush, session, world } = setup({ a: "1", b: "1" }, true)
    session.onRequest(ask([]), 0)
    assert.isTrue(session.wildcard)
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
    session.onRequest(ask([], "n1"), 0)
    session.markChanged("all")
    assert.isUndefined(flush())
    world.b = "2"
    session.markChanged("all")
    assert.deepStrictEqual(flush(), ["a@1", "b@2"])
    delete world.a
    session.markChanged("all")
    assert.deepStrictEqual(flush(), ["b@2"])
    delete world.b
    session.markChanged("all")
    assert.deepStrictEqual(flush(), [])
  })

  it("sends everything subscribed when a name is added", () => {
    const { flush, session } = setup({ a: "1", b: "1", c: "1" }, true)
    session.onRequest(ask(["a"]), 0)
    assert.deepStrictEqual(flush(), ["a@1"])
    session.onRequest(ask(["a", "b"], "n1"), 0)
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
  })

  it("takes an empty list after names for none, and the star for all", () => {
    const { flush, session } = setup({ a: "1", b: "1" }, true)
    session.onRequest(ask(["a"]), 0)
    flush()
    session.onRequest(ask([], "n1"), 0)
    assert.isFalse(session.wildcard)
    assert.isUndefined(flush())
    session.onRequest(ask([wildcardName], "n1"), 0)
    assert.isTrue(session.wildcard)
    assert.deepStrictEqual(flush(), ["a@1", "b@1"])
  })
})

describe("SotwSession, what goes first", () => {
  it("is sent before the rest, which stays owed", () => {
    const { flush, session, world } = setup({ a: "1", b: "1", c: "1" })
    session.onRequest(ask(["a", "b", "c"]), 0)
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
    session.onRequest(ask(["a", "b", "c"]), 0)
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
    session.onRequest(ask(["a", "b", "c"]), 0)
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
