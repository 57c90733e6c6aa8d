import { assert, describe, it } from "@effect/vitest"
import type { XdsResource } from "@istiod-lite/model"
import { type DeltaRequest, DeltaSession } from "./delta-session.ts"

const glob = "xdstp://test/thing/a/*"
const member = (name: string): string => glob.replace("*", name)

const request = (parts: Partial<DeltaRequest>): DeltaRequest => ({
  resourceNamesSubscribe: [],
  resourceNamesUnsubscribe: [],
  initialResourceVersions: {},
  responseNonce: "",
  errorDetail: undefined,
  ...parts
})

/** A session with one collection behind it, which has places 0 … 3 and remembers one change. */
const setup = (members: Record<string, string> | undefined) => {
  const world = { members, generation: 1, changed: new Set<string>() }
  const session = new DeltaSession(false, { subscribed: (name) => name, unsubscribed: () => {} })
  const resource = (name: string): XdsResource => ({
    name: member(name),
    version: world.members?.[name] ?? "",
    bytes: new Uint8Array()
  })
  const collection = (): XdsResource => ({
    name: glob,
    version: String(world.generation),
    bytes: new Uint8Array(),
    members: (since) => {
      const known = since === String(world.generation - 1)
      const places = ["0", "1", "2", "3"].filter((name) => !known || world.changed.has(name))
      const has = (name: string): boolean => world.members?.[name] !== undefined
      return {
        resources: places.filter(has).map(resource),
        removed: places.filter((name) => !has(name)).map(member)
      }
    }
  })
  let responses = 0
  return {
    session,
    change: (changes: Record<string, string | undefined>) => {
      world.generation++
      world.changed = new Set(Object.keys(changes))
      world.members = Object.fromEntries(
        Object.entries({ ...world.members, ...changes }).flatMap(([name, version]) =>
          version === undefined ? [] : [[name, version]]
        )
      )
      session.markChanged([glob])
    },
    vanish: () => {
      world.members = undefined
      session.markChanged([glob])
    },
    /** What is sent now: `name@version`, and `-name` for a removal; undefined = nothing. */
    flush: (): ReadonlyArray<string> | undefined => {
      if (!session.owes) return undefined
      const generated = session.wanted().includes(glob) && world.members !== undefined ? [collection()] : []
      const answer = session.respond(generated)
      if (answer === undefined) return undefined
      session.sent({ nonce: `n${++responses}`, version: `v${responses}` })
      const short = (name: string): string => name.slice(glob.length - 1)
      return [
        ...answer.resources.map(({ name, version }) => `${short(name)}@${version}`),
        ...answer.removed.map((name) => `-${short(name)}`)
      ]
    }
  }
}

describe("DeltaSession with a collection", () => {
  it("sends the members, then what changes of them, and keeps one version for all", () => {
    const { change, flush, session } = setup({ 0: "a", 1: "b" })
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    assert.deepStrictEqual(flush(), ["0@a", "1@b", "-2", "-3"])
    change({ 1: "c" })
    assert.deepStrictEqual(flush(), ["1@c"])
    change({ 0: undefined, 3: "d" })
    assert.deepStrictEqual(flush(), ["3@d", "-0"])
    assert.deepStrictEqual([...session.held], [[glob, "3"]])
    session.markChanged("all")
    assert.isUndefined(flush())
  })

  it("sends what changed of a collection that goes first once, ahead of what else is owed", () => {
    const { change, flush, session } = setup({ 0: "a", 1: "b" })
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    flush()
    change({ 1: undefined })
    session.markFirst([glob])
    assert.isTrue(session.owesFirst)
    assert.deepStrictEqual(flush(), ["-1"])
    assert.isFalse(session.owes)
    session.markFirst([glob])
    assert.isUndefined(flush())
  })

  it("sends everything to a client that is further behind than is remembered", () => {
    const { change, flush, session } = setup({ 0: "a", 1: "b" })
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    flush()
    change({ 0: undefined })
    change({ 2: "c" })
    assert.deepStrictEqual(flush(), ["1@b", "2@c", "-0", "-3"])
  })

  it("puts right whatever a client has that reconnects without saying what, as Envoy does", () => {
    const { flush, session } = setup({ 0: "a", 1: "b" })
    session.onRequest(request({ resourceNamesSubscribe: [glob], initialResourceVersions: {} }), 0)
    assert.deepStrictEqual(flush(), ["0@a", "1@b", "-2", "-3"])
  })

  it("sends a client that says what members it has only what differs, and tells it what is gone", () => {
    const { change, flush, session } = setup({ 0: "a", 1: "b" })
    const has = { [member("0")]: "a", [member("1")]: "x", [member("7")]: "y", other: "z" }
    session.onRequest(request({ resourceNamesSubscribe: [glob], initialResourceVersions: has }), 0)
    assert.deepStrictEqual(flush(), ["1@b", "-7"])
    change({ 2: "c" })
    assert.deepStrictEqual(flush(), ["2@c"])
  })

  it("names no empty places of a collection that is new to the stream, but those of one that it was sent before", () => {
    const { flush, session } = setup({ 0: "a" })
    session.onRequest(request({}), 0)
    flush()
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    session.parentSent(new Set([glob]))
    assert.deepStrictEqual(flush(), ["0@a"])
    session.onRequest(request({ resourceNamesUnsubscribe: [glob] }), 0)
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    assert.deepStrictEqual(flush(), ["0@a", "-1", "-2", "-3"])
  })

  it("sends everything again when asked again, and when what refers to it was sent again", () => {
    const { flush, session } = setup({ 0: "a" })
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    const all = flush()
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    assert.deepStrictEqual(flush(), all)
    session.parentSent(new Set([glob]))
    assert.deepStrictEqual(flush(), all)
    session.onRequest(request({ resourceNamesUnsubscribe: [glob] }), 0)
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    assert.deepStrictEqual(flush(), all)
  })

  it("tells once that a collection is gone, and of its members when it is back", () => {
    const { change, flush, session, vanish } = setup({ 0: "a" })
    session.onRequest(request({ resourceNamesSubscribe: [glob] }), 0)
    const all = flush()
    vanish()
    assert.deepStrictEqual(flush(), ["-*"])
    session.markChanged([glob])
    assert.isUndefined(flush())
    change({ 0: "a" })
    assert.deepStrictEqual(flush(), all)
  })
})
