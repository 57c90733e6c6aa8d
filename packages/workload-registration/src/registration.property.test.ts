import { assert, describe, it } from "@effect/vitest"
import type { ProxyConnection, WriteProblem } from "@istiod-lite/model"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { healthOf } from "./health.ts"
import { connectionOf, group } from "./testing/machines.ts"
import { type Replica, Replicas } from "./testing/replicas.ts"

const names = ["a", "b"] as const
type Name = (typeof names)[number]

type Step =
  /** its old stream, if it has one, is dead from now on, and its replica does not know yet */
  | { readonly what: "connect"; readonly machine: number; readonly to: Name }
  | { readonly what: "die"; readonly machine: number }
  /** all replicas learn of dead streams */
  | { readonly what: "notice" }
  | { readonly what: "report"; readonly machine: number; readonly healthy: boolean }
  | { readonly what: "kill" | "start"; readonly replica: Name }
  /** so many of the next calls fail before or after they are done */
  | { readonly what: "fail"; readonly calls: number; readonly when: "before" | "after" }
  | { readonly what: "deleteByHand"; readonly machine: number }
  | { readonly what: "wait"; readonly millis: number }

const machine = fc.nat({ max: 2 })
const replica = fc.constantFrom(...names)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ what: fc.constant("connect" as const), machine, to: replica }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("die" as const), machine }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("notice" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("report" as const), machine, healthy: fc.boolean() })
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom("kill" as const, "start" as const), replica }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("fail" as const),
      calls: fc.integer({ min: 1, max: 4 }),
      when: fc.constantFrom("before" as const, "after" as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("deleteByHand" as const), machine }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("wait" as const),
      millis: fc.constantFrom(0, 1, 50, 1000, 9000, 15_000, 40_000)
    })
  }
)

const entryName = (one: number): string => `billing-192.0.2.${one}`
const agent = { PROXY_CONFIG: { readinessProbe: { httpGet: { port: 80 } } } }

/** A machine as it really is: it has one stream at most, and tells a new replica what it told the last one. */
interface Machine {
  stream: { readonly replica: Replica; readonly connection: ProxyConnection; isAdmitted: boolean } | undefined
  healthy: boolean | undefined
}

/** @param skew milliseconds by which the clock of replica b is ahead, as far as connections are concerned */
const run = (steps: ReadonlyArray<Step>, skew: number) =>
  Effect.gen(function* () {
    const replicas = yield* Replicas.make()
    replicas.memory.put(group())
    const alive = new Map<Name, Replica>()
    for (const name of names) alive.set(name, yield* replicas.start(name))
    const machines: ReadonlyArray<Machine> = Array.from({ length: 3 }, () => ({
      stream: undefined,
      healthy: undefined
    }))
    const dead: Array<NonNullable<Machine["stream"]>> = []
    let failing = { calls: 0, when: "before" }
    let byHand = ""
    const fault = (when: string): Effect.Effect<void, WriteProblem> =>
      Effect.suspend(() => {
        if (failing.when !== when || failing.calls === 0) return Effect.void
        failing.calls--
        return Effect.fail("unavailable")
      })
    replicas.before = () => fault("before")
    replicas.after = () => fault("after")
    replicas.onDeleted = (name) => {
      const connected = machines.some((one, i) => one.stream !== undefined && entryName(i) === name)
      assert.isTrue(name === byHand || !connected, `${name} is deleted, though its machine is connected`)
    }

    const leave = (one: Machine): void => {
      if (one.stream !== undefined) dead.push(one.stream)
      one.stream = undefined
    }
    const report = (one: Machine): void => {
      const { healthy, stream } = one
      // The server keeps a report until the stream is admitted.
      if (healthy === undefined || stream?.isAdmitted !== true) return
      stream.replica.lifecycle.reported(stream.connection, { healthy, message: healthy ? "" : "ill" })
    }
    const notice = (): void => {
      for (const { connection, replica } of dead.splice(0)) replica.lifecycle.disconnected(connection)
    }
    const take = (now: Step) =>
      Effect.gen(function* () {
        const one = "machine" in now ? machines[now.machine] : undefined
        if (now.what === "connect" && one !== undefined) {
          const to = alive.get(now.to)
          leave(one)
          if (to === undefined) return
          const made = yield* connectionOf({ address: `192.0.2.${now.machine}`, metadata: agent })
          const connection = { ...made, connectedAt: made.connectedAt + (now.to === "b" ? skew : 0) }
          const stream: NonNullable<Machine["stream"]> = { replica: to, connection, isAdmitted: false }
          one.stream = stream
          const admit = Effect.sync(() => {
            stream.isAdmitted = true
            if (one.stream === stream) report(one)
          })
          yield* Effect.forkChild(Effect.andThen(to.lifecycle.connected(connection), admit))
        } else if (now.what === "die" && one !== undefined) leave(one)
        else if (now.what === "report" && one !== undefined) {
          one.healthy = now.healthy
          report(one)
        } else if (now.what === "notice") notice()
        else if (now.what === "wait") yield* TestClock.adjust(now.millis)
        else if (now.what === "fail") failing = { calls: now.calls, when: now.when }
        else if (now.what === "kill") {
          const gone = alive.get(now.replica)
          alive.delete(now.replica)
          for (const it of machines) if (it.stream?.replica === gone) it.stream = undefined
          if (gone !== undefined) yield* gone.kill
        } else if (now.what === "start" && !alive.has(now.replica)) {
          alive.set(now.replica, yield* replicas.start(now.replica))
        } else if (now.what === "deleteByHand") {
          const name = (byHand = entryName(now.machine))
          const api = { apiVersion: "networking.istio.io/v1", kind: "WorkloadEntry" }
          yield* Effect.ignore(replicas.memory.writer.delete({ ...api, namespace: "shop", name }))
          byHand = ""
        }
      })
    for (const now of steps) yield* take(now)

    failing.calls = 0
    notice()
    if (alive.size === 0) yield* replicas.start("c")
    yield* TestClock.adjust("5 minutes")
    const expected = machines.flatMap((one, i) =>
      one.stream === undefined ? [] : [[entryName(i), one.healthy, one.stream.replica.identity] as const]
    )
    const actual = [...replicas.entries]
      .map(([name, entry]) => {
        const status = healthOf(entry)?.status
        const healthy = status === undefined ? undefined : status === "True"
        return [name, healthy, entry.metadata.annotations?.["istio.io/workloadController"]] as const
      })
      .toSorted(([x], [y]) => (x < y ? -1 : 1))
    return { actual, expected }
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))))

describe("registration, whatever happens", () => {
  it("ends with the entries of the machines that are connected, and what they reported last", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40, size: "max" }),
        fc.constantFrom(0, -120_000, 120_000),
        async (steps, skew) => {
          const { actual, expected } = await Effect.runPromise(run(steps, skew))
          assert.deepStrictEqual(actual, expected)
        }
      ),
      { numRuns: 60 }
    )
  }, 60_000)
})
