import { assert, describe, it } from "@effect/vitest"
import { cleanUpOf } from "./clean-up-rule.ts"

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
const group = { "istio.io/autoRegistrationGroup": "billing" }
const away = { "istio.io/workloadController": "a", "istio.io/disconnectedAt": at(100) }
const connected = { "istio.io/workloadController": "a", "istio.io/connectedAt": at(100) }
const terms = { replicas: new Set(["a"]), gracePeriod: 10_000 }
const lease = (seconds: number) => ({ "istiod-lite.io/expires": at(seconds) })

describe("cleanUpOf", () => {
  it("an entry that registered itself goes when its machine is away for the grace period", () => {
    const life = { annotations: { ...group, ...away }, hasHealth: true }
    assert.deepStrictEqual(cleanUpOf(life, terms), { what: "delete", at: 110_000 })
  })

  it("somebody else's entry stays, and forgets its health once", () => {
    assert.deepStrictEqual(cleanUpOf({ annotations: away, hasHealth: true }, terms), {
      what: "forget health",
      at: 110_000
    })
    assert.isUndefined(cleanUpOf({ annotations: away, hasHealth: false }, terms))
  })

  it("the entry of a machine that is connected stays, also when it was away before", () => {
    assert.isUndefined(
      cleanUpOf({ annotations: { ...group, ...away, ...connected }, hasHealth: false }, terms)
    )
  })

  it("a connection to a replica that is dead ends, when the replica could have been seen", () => {
    const life = { annotations: { ...group, ...connected }, hasHealth: false }
    const dead = { ...terms, replicas: new Set(["b"]) }
    assert.deepStrictEqual(cleanUpOf(life, dead), {
      what: "release",
      at: 130_000,
      claim: { controller: "a", connectedAt: 100_000 }
    })
    assert.isUndefined(cleanUpOf(life, { ...terms, replicas: undefined }), "nothing is known of replicas")
  })

  it("an entry that nobody ever connected to stays", () => {
    assert.isUndefined(cleanUpOf({ annotations: group, hasHealth: false }, terms))
  })

  it("a lease ends, whoever wrote the entry; the earlier of two reasons counts", () => {
    const expired = { what: "expire", at: 105_000 }
    assert.deepStrictEqual(cleanUpOf({ annotations: lease(105), hasHealth: false }, terms), expired)
    const registered = { ...group, ...away }
    assert.deepStrictEqual(
      cleanUpOf({ annotations: { ...registered, ...lease(105) }, hasHealth: false }, terms),
      expired
    )
    assert.deepStrictEqual(
      cleanUpOf({ annotations: { ...registered, ...lease(200) }, hasHealth: false }, terms)?.what,
      "delete"
    )
    const none = { annotations: { "istiod-lite.io/expires": "tomorrow" }, hasHealth: false }
    assert.isUndefined(cleanUpOf(none, terms), "a time that cannot be read ends nothing")
  })
})
