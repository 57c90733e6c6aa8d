import { assert, describe, it } from "@effect/vitest"
import { type Leadership, ObjectWriter, type WriteProblem } from "@istiod-lite/model"
import { MemoryWriter, type WriterCall } from "@istiod-lite/model/testing"
import { Effect, Exit, Fiber, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import { makeLeadership } from "./leadership.ts"

/** A replica that can be shut down; its own faults come before those of the memory. */
const replica = (
  memory: MemoryWriter,
  identity: string,
  before: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { writer } = memory
    const guarded: ObjectWriter["Service"] = {
      ...writer,
      get: (object) => Effect.andThen(fault(before, "get", object.name), writer.get(object)),
      replace: (object, part) =>
        Effect.andThen(fault(before, "replace", object.metadata.name), writer.replace(object, part))
    }
    const leadership = yield* makeLeadership({ namespace: "istio-system", identity }).pipe(
      Effect.provideService(ObjectWriter, guarded),
      Effect.provideService(Scope.Scope, scope)
    )
    return { leadership, shutDown: Scope.close(scope, Exit.void) }
  })

const fault = (
  before: (call: WriterCall) => Effect.Effect<void, WriteProblem>,
  verb: WriterCall["verb"],
  name: string
) =>
  Effect.orDie(Effect.result(before({ verb, kind: "Lease", namespace: "istio-system", name }))).pipe(
    Effect.flatMap((result) => (result._tag === "Success" ? Effect.void : Effect.never))
  )

const leaders = (...all: ReadonlyArray<Leadership["Service"]>): ReadonlyArray<string> =>
  all.filter((one) => one.isLeader()).map(({ identity }) => identity)

describe("makeLeadership", { timeout: 30_000 }, () => {
  it.effect("the first one leads; the next one at once when it shuts down", () =>
    Effect.gen(function* () {
      const memory = new MemoryWriter()
      const a = yield* replica(memory, "a")
      yield* TestClock.adjust("1 second")
      const b = yield* replica(memory, "b")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(leaders(a.leadership, b.leadership), ["a"])
      assert.strictEqual(b.leadership.leader(), "a")
      yield* a.shutDown
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(leaders(a.leadership, b.leadership), ["b"])
      yield* b.shutDown
    })
  )

  it.effect("who cannot renew stops before another one begins, which it does within the lease", () =>
    Effect.gen(function* () {
      const memory = new MemoryWriter()
      const isCut = yield* Ref.make(false)
      const a = yield* replica(memory, "a", () =>
        Effect.flatMap(Ref.get(isCut), (cut) => (cut ? Effect.fail("unavailable" as const) : Effect.void))
      )
      yield* TestClock.adjust("1 second")
      const b = yield* replica(memory, "b")
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(leaders(a.leadership, b.leadership), ["a"])
      yield* Ref.set(isCut, true)
      let stoppedAt = Number.NaN
      let begunAt = Number.NaN
      for (let second = 1; second <= 30; second++) {
        yield* TestClock.adjust("1 second")
        const now = leaders(a.leadership, b.leadership)
        assert.isAtMost(now.length, 1)
        if (!now.includes("a") && Number.isNaN(stoppedAt)) stoppedAt = second
        if (now.includes("b") && Number.isNaN(begunAt)) begunAt = second
      }
      assert.isAtMost(stoppedAt, 11)
      assert.isAtMost(begunAt, 18)
      yield* Ref.set(isCut, false)
      yield* Effect.all([a.shutDown, b.shutDown])
    })
  )

  it.effect("renews what it wrote itself without reading it, until another one has written", () =>
    Effect.gen(function* () {
      const memory = new MemoryWriter()
      const calls: Array<string> = []
      const a = yield* replica(memory, "a", ({ verb }) => Effect.sync(() => void calls.push(verb)))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual([...new Set(calls.slice(1))], ["replace"])
      const lease = memory.find("Lease", "istio-system", "istiod-lite")!
      memory.put({ ...lease, spec: { ...lease.spec, holderIdentity: "b" } })
      calls.length = 0
      yield* TestClock.adjust("2400 millis")
      assert.deepStrictEqual(calls.slice(0, 2), ["replace", "get"])
      assert.isFalse(a.leadership.isLeader())
      assert.strictEqual(a.leadership.leader(), "b")
      yield* a.shutDown
    })
  )

  it.effect("work ends at the deadline, also of a renewal that was begun long before it was answered", () =>
    Effect.gen(function* () {
      const answers = yield* Ref.make<"3 seconds" | "never" | "at once">("3 seconds")
      const memory = new MemoryWriter({
        after: () =>
          Effect.flatMap(Ref.get(answers), (when) =>
            when === "at once" ? Effect.void : when === "never" ? Effect.never : Effect.sleep(when)
          )
      })
      memory.put({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "istiod-lite", namespace: "istio-system" },
        spec: { holderIdentity: "gone", leaseDurationSeconds: 15, leaseTransitions: 4 }
      })
      const a = yield* replica(memory, "a")
      let isWorking = false
      const work = Effect.acquireUseRelease(
        Effect.sync(() => (isWorking = true)),
        () => Effect.never,
        () => Effect.sync(() => (isWorking = false))
      )
      const working = yield* Effect.forkChild(a.leadership.whileLeading(work))
      const isLeading = Effect.gen(function* () {
        yield* TestClock.adjust("250 millis")
        return a.leadership.isLeader()
      })
      yield* Effect.repeat(isLeading, { until: (leads) => leads })
      yield* TestClock.adjust("250 millis")
      assert.isTrue(isWorking)
      yield* Ref.set(answers, "never")
      for (let step = 0; step < 50; step++) {
        yield* TestClock.adjust("250 millis")
        assert.strictEqual(isWorking, a.leadership.isLeader())
      }
      assert.isFalse(isWorking)
      yield* Ref.set(answers, "at once")
      yield* Fiber.interrupt(working)
      yield* a.shutDown
    })
  )

  it.effect(
    "the answer to a renewal is lost with the replica: what was written is given up all the same",
    () =>
      Effect.gen(function* () {
        const lost = yield* Ref.make(false)
        const memory = new MemoryWriter({
          after: ({ verb }) =>
            Effect.flatMap(Ref.get(lost), (isLost) =>
              isLost && verb === "replace" ? Effect.never : Effect.void
            )
        })
        const a = yield* replica(memory, "a")
        yield* TestClock.adjust("1 second")
        yield* Ref.set(lost, true)
        yield* TestClock.adjust("12 seconds")
        assert.isFalse(a.leadership.isLeader())
        yield* Ref.set(lost, false)
        yield* a.shutDown
        assert.strictEqual(memory.find("Lease", "istio-system", "istiod-lite")?.spec?.holderIdentity, "")
      })
  )

  for (const renewTime of ["2000-01-01T00:00:00.000000Z", "2100-01-01T00:00:00.000000Z"]) {
    it.effect(`waits out the lease of a holder whose clock says ${renewTime.slice(0, 4)}`, () =>
      Effect.gen(function* () {
        const memory = new MemoryWriter()
        memory.put({
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name: "istiod-lite", namespace: "istio-system" },
          spec: { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime, leaseTransitions: 4 }
        })
        const a = yield* replica(memory, "a")
        yield* TestClock.adjust("14 seconds")
        assert.isFalse(a.leadership.isLeader())
        assert.strictEqual(a.leadership.leader(), "gone")
        yield* TestClock.adjust("4 seconds")
        assert.isTrue(a.leadership.isLeader())
        assert.strictEqual(memory.find("Lease", "istio-system", "istiod-lite")?.spec?.leaseTransitions, 5)
        yield* a.shutDown
      })
    )
  }

  it.effect("work runs while it leads, is interrupted, and begins anew", () =>
    Effect.gen(function* () {
      const memory = new MemoryWriter()
      const isCut = yield* Ref.make(false)
      const a = yield* replica(memory, "a", () =>
        Effect.flatMap(Ref.get(isCut), (cut) => (cut ? Effect.fail("unavailable" as const) : Effect.void))
      )
      const log: Array<string> = []
      const work = Effect.acquireUseRelease(
        Effect.sync(() => log.push("begins")),
        () => Effect.never,
        () => Effect.sync(() => log.push("ends"))
      )
      const working = yield* Effect.forkChild(a.leadership.whileLeading(work))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(log, ["begins"])
      yield* Ref.set(isCut, true)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(log, ["begins", "ends"])
      yield* Ref.set(isCut, false)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(log, ["begins", "ends", "begins"])
      yield* Fiber.interrupt(working)
      yield* a.shutDown
    })
  )

  it.effect("two never lead at once, whatever answers take or get lost; in the end one leads", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 8; seed++) {
        const random = randomFrom(seed)
        let isQuiet = false
        const faults = (): Effect.Effect<void, WriteProblem> => {
          if (isQuiet || random() < 0.6) return Effect.void
          if (random() < 0.5) return Effect.fail("unavailable")
          return Effect.sleep(`${Math.floor(random() * 12_000)} millis`)
        }
        // Before: a request that is late, or lost. After: an answer that is late, or lost, of a write that was done.
        const memory = new MemoryWriter({ before: faults, after: faults })
        const all = yield* Effect.forEach(["a", "b", "c"], (identity) => replica(memory, identity))
        const leading = all.map(({ leadership }) => leadership)
        for (let step = 0; step < 400; step++) {
          yield* TestClock.adjust("500 millis")
          assert.isAtMost(leaders(...leading).length, 1, `seed ${seed}, step ${step}`)
        }
        isQuiet = true
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(leaders(...leading), 1)
        yield* Effect.forEach(all, ({ shutDown }) => shutDown)
      }
    })
  )

  it.effect("knows which replicas are alive: those that say so, and for how long they are believed", () =>
    Effect.gen(function* () {
      const memory = new MemoryWriter()
      const a = yield* replica(memory, "a")
      const b = yield* replica(memory, "b")
      const c = yield* replica(memory, "c")
      assert.isUndefined(a.leadership.replicas())
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual([...(a.leadership.replicas() ?? [])].toSorted(), ["a", "b", "c"])
      yield* b.shutDown
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual([...(a.leadership.replicas() ?? [])].toSorted(), ["a", "c"])
      yield* Effect.all([a.shutDown, c.shutDown])
    })
  )
})

/** A small deterministic generator (mulberry32). */
const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
