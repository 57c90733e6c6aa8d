import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import { decodeObject, ObjectStore, type RawObject } from "@istiod-lite/model"
import { MemoryWriter } from "@istiod-lite/model/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { healthOf } from "./health.ts"
import { probing } from "./probing.ts"

const entry = (name: string, probe: object | string, address = "192.0.2.1"): RawObject => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: {
    name,
    namespace: "shop",
    annotations: { "istiod-lite.io/probe": typeof probe === "string" ? probe : JSON.stringify(probe) }
  },
  spec: { address }
})

/** Entries that are probed: what the machines answer is `problem`. */
const setUp = () => {
  const store = new ObjectStore(new Graph(), "Kubernetes")
  store.addCluster("Kubernetes")
  const asked: Array<string> = []
  const world = { problem: undefined as string | undefined, asked, store, writes: 0 }
  const memory = new MemoryWriter({
    after: () => Effect.sync(() => void world.writes++),
    onChange: ({ name, namespace }, now) => {
      const decoded = now === undefined ? undefined : decodeObject(now)
      if (decoded?.outcome === "object") store.put("Kubernetes", decoded)
      else store.delete("Kubernetes", { kind: "WorkloadEntry", namespace, name })
    }
  })
  const run = (address: string) => {
    asked.push(address)
    return Promise.resolve(world.problem)
  }
  return {
    world,
    memory,
    run,
    probing: probing({ entries: store.config.WorkloadEntry, writer: memory.writer, run })
  }
}

const probe = { tcpSocket: { port: 80 }, periodSeconds: 5, failureThreshold: 2 }

/** Probes run as promises: time goes on in steps, so that their answers are seen. */
const pass = (seconds: number) =>
  Effect.forEach(
    Array.from({ length: seconds * 2 }),
    () =>
      Effect.andThen(
        TestClock.adjust("500 millis"),
        Effect.promise(() => new Promise(setImmediate))
      ),
    { discard: true }
  )

describe("probing", () => {
  it.effect("writes a machine's health when it turns, and only then", () =>
    Effect.gen(function* () {
      const { memory, probing: loop, world } = setUp()
      memory.put(entry("probed", probe))
      yield* Effect.forkChild(loop)
      yield* pass(7)
      const healthy = () => healthOf(memory.find("WorkloadEntry", "shop", "probed")!)
      assert.deepInclude(healthy(), { status: "True" })
      const writes = world.writes
      yield* pass(60)
      assert.strictEqual(world.writes, writes)
      assert.isAtLeast(world.asked.length, 12)
      world.problem = "connection refused"
      yield* pass(6)
      assert.deepInclude(healthy(), { status: "True" }, "one failure is not enough")
      yield* pass(6)
      assert.deepInclude(healthy(), { status: "False", message: "connection refused" })
    })
  )

  it.effect("follows entries: new ones, other addresses, gone ones, probes that cannot be read", () =>
    Effect.gen(function* () {
      const { memory, probing: loop, world } = setUp()
      yield* Effect.forkChild(loop)
      memory.put(entry("faulty", "{"))
      memory.put(entry("probed", probe))
      yield* pass(7)
      assert.deepStrictEqual([...new Set(world.asked)], ["192.0.2.1"])
      memory.put(entry("probed", probe, "192.0.2.2"))
      world.asked.length = 0
      yield* pass(7)
      assert.deepStrictEqual([...new Set(world.asked)], ["192.0.2.2"])
      const reference = { ...entry("probed", probe), namespace: "shop", name: "probed" }
      yield* memory.writer.delete(reference)
      world.asked.length = 0
      yield* pass(20)
      assert.deepStrictEqual(world.asked, [])
    })
  )
})
