import { assert, describe, it } from "@effect/vitest"
import { AuthenticationError, type RawObject } from "@istiod-lite/model"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { connectedAtAnnotation, controllerAnnotation, disconnectedAtAnnotation } from "./annotations.ts"
import { healthOf } from "./health.ts"
import { connectionOf, group, impostors, ledgerEntry } from "./testing/machines.ts"
import { Replicas } from "./testing/replicas.ts"

const name = "billing-192.0.2.101"
const healthChecks = { PROXY_CONFIG: { readinessProbe: { httpGet: { port: 80 } } } }

const annotationsOf = (entry: RawObject | undefined): Readonly<Record<string, string>> =>
  entry?.metadata.annotations ?? {}

describe("a machine that registers itself", () => {
  it.effect("has an entry that tells its group's and its own facts (cases 46, 48)", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      const labels = { app: "billing", tier: "group", from: "group" }
      const template = { labels: { tier: "template", zone: "template", from: "template" } }
      replicas.memory.put(group("billing", { labels, template }))
      const a = yield* replicas.start("a")
      const connection = yield* connectionOf({
        metadata: { LABELS: { tier: "node", host: "rack7", "istio-locality": "region1/zone-b/rack2" } },
        locality: { region: "region1", zone: "zone-b", subZone: "rack2" }
      })
      yield* a.lifecycle.connected(connection)
      const entry = replicas.entries.get(name)
      const merged = { app: "billing", tier: "node", from: "group", zone: "template", host: "rack7" }
      assert.deepStrictEqual(entry?.spec, {
        address: "192.0.2.101",
        labels: merged,
        locality: "region1/zone-b/rack2",
        serviceAccount: "billing-vm"
      })
      assert.deepStrictEqual(entry?.metadata.labels, merged)
      assert.deepInclude(annotationsOf(entry), {
        "istio.io/autoRegistrationGroup": "billing",
        [controllerAnnotation]: "a",
        [connectedAtAnnotation]: new Date(connection.connectedAt).toISOString()
      })
      const owner = { apiVersion: "networking.istio.io/v1", kind: "WorkloadGroup", name: "billing" }
      assert.deepStrictEqual(entry?.metadata.ownerReferences, [{ ...owner, uid: "uid-1", controller: true }])
      assert.deepInclude(a.registration.machines()[0], {
        registeredBy: "group billing",
        replica: "a",
        connection: "connected",
        health: "not checked"
      })
    })
  )

  it.effect("each has an entry of its own, though they share an address (case 51)", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      const names = ["alpha", "beta", "gamma"]
      for (const one of names) replicas.memory.put(group(one))
      const a = yield* replicas.start("a")
      const connections = yield* Effect.forEach(names, (one) =>
        connectionOf({ address: "192.0.2.120", group: one })
      )
      for (const one of connections) yield* a.lifecycle.connected(one)
      assert.deepStrictEqual(
        [...replicas.entries.keys()],
        names.map((one) => `${one}-192.0.2.120`)
      )
      for (const one of connections) a.lifecycle.disconnected(one)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(replicas.entries.size, 3)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(replicas.entries.size, 0)
    })
  )

  it.effect("moves to another replica without its entry going away (case 52)", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const deleted: Array<string> = []
      replicas.onDeleted = (gone) => void deleted.push(gone)
      const a = yield* replicas.start("a")
      const b = yield* replicas.start("b")
      const first = yield* connectionOf()
      yield* a.lifecycle.connected(first)
      yield* TestClock.adjust("11 seconds")
      const second = yield* connectionOf()
      yield* b.lifecycle.connected(second)
      yield* TestClock.adjust("3 seconds")
      a.lifecycle.disconnected(first)
      yield* TestClock.adjust("26 seconds")
      assert.strictEqual(annotationsOf(replicas.entries.get(name))[controllerAnnotation], "b")
      assert.deepStrictEqual(deleted, [])
      b.lifecycle.disconnected(second)
      yield* TestClock.adjust("9 seconds")
      assert.isDefined(annotationsOf(replicas.entries.get(name))[disconnectedAtAnnotation])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(deleted, [name])
    })
  )

  it.effect("is refused without an identity of the group's namespace and account (case 54)", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      replicas.memory.put(ledgerEntry)
      const a = yield* replicas.start("a")
      const nowhere = [{ group: "nowhere" }, /there is no WorkloadGroup shop\/nowhere/] as const
      for (const [fields, reason] of [...impostors, nowhere]) {
        const connection = yield* connectionOf(fields)
        const error = yield* Effect.flip(a.lifecycle.connected(connection))
        assert.match(error.reason, reason)
        a.lifecycle.reported(connection, { healthy: true, message: "" })
        a.lifecycle.disconnected(connection)
      }
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        [...replicas.entries.values()].map((entry) => entry.status),
        [undefined]
      )
      assert.strictEqual(a.registration.refused().length, 5)
      assert.strictEqual(a.registration.refused()[0]?.reason, "there is no WorkloadGroup shop/nowhere")
      yield* a.lifecycle.connected(yield* connectionOf())
      assert.isTrue(replicas.entries.has(name))
      assert.deepStrictEqual(a.registration.refused(), [], "it was taken in the end")
    })
  )

  it.effect.each([
    ["a machine", {}],
    ["any other proxy", { group: "" }]
  ] as const)("is listed as refused when it is not believed, until it is let in: %s", ([, fields]) =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      const connection = yield* connectionOf(fields)
      const reason = "its token is not valid: token has expired"
      const refusal = { peer: connection.peer.address, node: connection.node.id, reason }
      for (const _ of [1, 2]) a.lifecycle.refused(new AuthenticationError(refusal))
      const at = new Date(connection.connectedAt).toISOString()
      assert.deepStrictEqual(a.registration.refused(), [{ ...refusal, at, times: 2 }])
      yield* a.lifecycle.connected(connection)
      assert.deepStrictEqual(a.registration.refused(), [])
    })
  )

  it.effect("waits in no queue of an API server that does not answer; the entry follows", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      replicas.before = () => Effect.fail("unavailable")
      const connecting = yield* Effect.forkChild(Effect.flatMap(connectionOf(), a.lifecycle.connected))
      yield* TestClock.adjust("2 seconds")
      assert.isDefined(connecting.pollUnsafe())
      assert.strictEqual(replicas.entries.size, 0)
      replicas.before = () => Effect.void
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(replicas.entries.has(name))
    })
  )

  it.effect("is refused when its entry may not be written", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      replicas.before = ({ verb }) => (verb === "create" ? Effect.fail("forbidden") : Effect.void)
      const exit = yield* Effect.exit(Effect.flatMap(connectionOf(), a.lifecycle.connected))
      assert.isTrue(Exit.isFailure(exit))
    })
  )

  it.effect("has its entry made again, as soon as there is a group, whoever deletes it", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      const billing = replicas.memory.put(group())
      const a = yield* replicas.start("a")
      yield* a.lifecycle.connected(yield* connectionOf({ metadata: healthChecks }))
      const entry = { ...ledgerEntry, namespace: "shop", name }
      yield* replicas.memory.writer.delete(entry)
      yield* TestClock.adjust("10 millis")
      assert.isTrue(replicas.entries.has(name))
      yield* replicas.memory.writer.delete({ ...billing, namespace: "shop", name: "billing" })
      yield* replicas.memory.writer.delete(entry)
      yield* TestClock.adjust("1 minute")
      assert.isFalse(replicas.entries.has(name))
      replicas.memory.put(group())
      yield* TestClock.adjust("10 millis")
      assert.isTrue(replicas.entries.has(name))
    })
  )

  it.effect("keeps no entry whose lease has ended, until it connects again", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      yield* a.lifecycle.connected(yield* connectionOf())
      const expires = new Date(3250).toISOString()
      yield* replicas.memory.writer.patch(
        { ...ledgerEntry, namespace: "shop", name },
        { metadata: { annotations: { "istiod-lite.io/expires": expires } } }
      )
      yield* TestClock.adjust("3249 millis")
      assert.isTrue(replicas.entries.has(name))
      yield* TestClock.adjust("1 millis")
      assert.isFalse(replicas.entries.has(name), "not at the next look, but in time")
      yield* TestClock.adjust("1 minute")
      assert.isFalse(replicas.entries.has(name))
      yield* a.lifecycle.connected(yield* connectionOf())
      assert.isTrue(replicas.entries.has(name))
    })
  )
})

describe("the health of a machine", () => {
  it.effect("is what it reported last, though writes fail or are answered by nobody", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      const connection = yield* connectionOf({ metadata: healthChecks })
      yield* a.lifecycle.connected(connection)
      assert.isUndefined(healthOf(replicas.entries.get(name)!), "nothing is known before the first report")
      a.lifecycle.reported(connection, { healthy: true, message: "" })
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(healthOf(replicas.entries.get(name)!), { status: "True" })
      let writes = 0
      const countWrite = Effect.sync(() => void writes++)
      replicas.before = () => Effect.fail("unavailable")
      replicas.after = ({ verb }) => (verb === "replace" ? countWrite : Effect.void)
      for (let i = 0; i < 10; i++) {
        a.lifecycle.reported(connection, { healthy: i % 2 === 0, message: i % 2 === 0 ? "" : "disk full" })
        yield* TestClock.adjust("100 millis")
      }
      replicas.before = () => Effect.void
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(healthOf(replicas.entries.get(name)!), { status: "False", message: "disk full" })
      assert.strictEqual(writes, 1, "what was overtaken is not written")
      replicas.after = ({ verb }) => (verb === "replace" ? Effect.fail("unavailable") : Effect.void)
      a.lifecycle.reported(connection, { healthy: true, message: "" })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(healthOf(replicas.entries.get(name)!), { status: "True" })
      assert.strictEqual(a.registration.machines()[0]?.health, "healthy")
    })
  )

  it.effect("is not written by an older connection; it outlives the connection", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      const b = yield* replicas.start("b")
      const first = yield* connectionOf({ metadata: healthChecks })
      yield* a.lifecycle.connected(first)
      yield* TestClock.adjust("1 second")
      const second = yield* connectionOf({ metadata: healthChecks })
      yield* b.lifecycle.connected(second)
      b.lifecycle.reported(second, { healthy: true, message: "" })
      a.lifecycle.reported(first, { healthy: false, message: "late" })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(healthOf(replicas.entries.get(name)!), { status: "True" })
      b.lifecycle.reported(second, { healthy: false, message: "disk full" })
      b.lifecycle.disconnected(second)
      yield* TestClock.adjust("1 second")
      const entry = replicas.entries.get(name)!
      assert.deepInclude(healthOf(entry), { status: "False", message: "late" }, "a's stream is there still")
      assert.strictEqual(annotationsOf(entry)[controllerAnnotation], "a")
    })
  )

  it.effect("of somebody else's entry is forgotten, when its machine is away for too long", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(ledgerEntry)
      const a = yield* replicas.start("a")
      const connection = yield* connectionOf({
        group: "",
        metadata: { WORKLOAD_ENTRY: "ledger-1" },
        identities: ["spiffe://cluster.local/ns/shop/sa/ledger"]
      })
      yield* a.lifecycle.connected(connection)
      a.lifecycle.reported(connection, { healthy: true, message: "" })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(healthOf(replicas.entries.get("ledger-1")!), { status: "True" })
      a.lifecycle.disconnected(connection)
      yield* TestClock.adjust("9 seconds")
      assert.isDefined(healthOf(replicas.entries.get("ledger-1")!))
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(healthOf(replicas.entries.get("ledger-1")!))
    })
  )
})

describe("a replica that ends", () => {
  it.effect("writes that its machines are disconnected, if it was told to end", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      yield* replicas.start("b")
      const a = yield* replicas.start("a")
      const connection = yield* connectionOf()
      yield* a.lifecycle.connected(connection)
      a.lifecycle.disconnected(connection)
      const ending = yield* Effect.forkChild(a.shutDown)
      yield* TestClock.adjust("1 second")
      assert.isDefined(ending.pollUnsafe())
      assert.isDefined(annotationsOf(replicas.entries.get(name))[disconnectedAtAnnotation])
    })
  )

  it.effect("together with its machine: the leader finds out, and cleans up", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      const a = yield* replicas.start("a")
      const b = yield* replicas.start("b")
      yield* b.lifecycle.connected(yield* connectionOf())
      yield* b.lifecycle.connected(yield* connectionOf({ address: "192.0.2.102" }))
      yield* b.kill
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(replicas.entries.size, 2, "a replica that is not seen may have just started")
      // One of them comes back in time, to another replica.
      yield* a.lifecycle.connected(yield* connectionOf())
      yield* TestClock.adjust("21 seconds")
      assert.deepStrictEqual([...replicas.entries.keys()], [name])
    })
  )

  it.effect("and starts again under its name: it finds those that did not come back itself", () =>
    Effect.gen(function* () {
      const replicas = yield* Replicas.make()
      replicas.memory.put(group())
      yield* replicas.start("b")
      const before = yield* replicas.start("a")
      yield* before.lifecycle.connected(yield* connectionOf())
      yield* before.lifecycle.connected(yield* connectionOf({ address: "192.0.2.102" }))
      yield* before.kill
      yield* TestClock.adjust("5 seconds")
      const after = yield* replicas.start("a")
      yield* after.lifecycle.connected(yield* connectionOf())
      yield* TestClock.adjust("72 seconds")
      assert.deepStrictEqual([...replicas.entries.keys()], [name])
    })
  )
})
