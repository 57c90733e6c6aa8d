import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { composeFromInputs, type DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { type InputChanges, noInputChanges } from "../compose/inputs.ts"
import { layerReplayQueries } from "../query/replay-queries.ts"
import { Queries } from "../query/queries.ts"
import { layerRecorder } from "../record/layer-recorder.ts"
import { emptyMesh, erp, machine, put, stateOf } from "../testing/recorded-plane.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { indexRecording } from "./recording-index.ts"
import { replayUntil } from "./replay.ts"

/** Records while `act` changes the control plane. */
const recording = (
  path: string,
  plane: DetachedControlPlane,
  act: Effect.Effect<void>
): Effect.Effect<void, Error> =>
  act.pipe(Effect.provide(Layer.provide(layerRecorder(path), Layer.succeedContext(plane.context))))

const gone = (namespace: string, name: string): InputChanges => ({
  ...noInputChanges,
  objects: [{ cluster: "Kubernetes", change: "delete", identity: { kind: "WorkloadEntry", namespace, name } }]
})

const namespaceOf = (cluster: string): InputChanges =>
  put(cluster, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })

/** Steps of a mesh's life, one second apart. */
const steps: ReadonlyArray<InputChanges> = [
  erp(),
  machine("erp-1", "10.0.0.1"),
  machine("erp-2", "10.0.0.2"),
  { ...noInputChanges, clusters: [["east", true]] },
  namespaceOf("east"),
  gone("legacy", "erp-1"),
  gone("legacy", "erp-2"),
  { ...noInputChanges, clusters: [["east", false]] },
  { ...noInputChanges, clusters: [["east", true]], objects: namespaceOf("east").objects },
  { ...noInputChanges, gatewayAddresses: [["gateway.example", ["192.0.2.1"]]] },
  machine("erp-3", "10.0.0.3")
]

/** Plays the steps; the states after each, by time. */
const live = (plane: DetachedControlPlane, states: Map<number, string>): Effect.Effect<void> =>
  Effect.forEach(
    steps,
    (step, i) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        plane.inputs.apply(step)
        states.set((i + 1) * 1000, stateOf(plane))
      }),
    { discard: true }
  )

const recordLife = (path: string) =>
  Effect.gen(function* () {
    const plane = yield* composeFromInputs({ configCluster: "Kubernetes" })
    plane.inputs.apply(emptyMesh)
    const states = new Map([[0, stateOf(plane)]])
    yield* recording(path, plane, live(plane, states))
    return states
  })

const accountsOf = ({ discovery }: DetachedControlPlane) =>
  [...discovery.endpoints.values()].flatMap(({ serviceAccounts }) => serviceAccounts)

describe("replayUntil", () => {
  it.effect("rebuilds every moment as it was", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "mesh.rec")
      const states = yield* recordLife(path)
      const index = yield* indexRecording(path)
      assert.lengthOf(index.marks, steps.length + 1)
      for (const [time, state] of states) {
        for (const until of [time, time + 999]) {
          const replayed = yield* replayUntil(index, until)
          assert.strictEqual(replayed?.time, time)
          assert.strictEqual(replayed && stateOf(replayed.plane), state)
        }
      }
      assert.isUndefined(yield* replayUntil(index, -1))
      // What a service without endpoints remembers is remembered.
      const empty = yield* replayUntil(index, 7500)
      assert.lengthOf((empty && accountsOf(empty.plane)) ?? [], 1)
    })
  )

  it.effect(
    "replays a recording that was cut anywhere to its last whole transaction, and says so",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const path = join(folder, "mesh.rec")
        const states = yield* recordLife(path)
        const whole = readFileSync(path)
        const { marks } = yield* indexRecording(path)
        const ends = [...marks.slice(1).map(({ at }) => at), whole.length]
        const cut = join(folder, "cut.rec")
        const cutAt = (bytes: number) =>
          Effect.gen(function* () {
            writeFileSync(cut, whole.subarray(0, bytes))
            const wholeOnes = ends.filter((end) => end <= bytes).length
            const index = yield* Effect.result(indexRecording(cut))
            if (wholeOnes === 0) {
              assert.isTrue(index._tag === "Failure" && /no whole transaction/.test(index.failure.message))
              return
            }
            const { damages, marks } =
              index._tag === "Success" ? index.success : yield* Effect.die(index.failure)
            assert.lengthOf(marks, wholeOnes)
            const at = ends[wholeOnes - 1] ?? 0
            assert.deepEqual(damages, at === bytes ? [] : [{ at, bytes: bytes - at, isTail: true }])
            const index2 = { path: cut, marks, damages }
            const replayed = yield* replayUntil(index2, Number.POSITIVE_INFINITY)
            assert.strictEqual(replayed && stateOf(replayed.plane), states.get((wholeOnes - 1) * 1000))
          }).pipe(Effect.scoped)
        const places = fc.sample(fc.integer({ min: 0, max: whole.length }), 50)
        yield* Effect.forEach([...places, ...ends], cutAt, { discard: true })
      }),
    30_000
  )

  it.effect("goes on behind a torn end, and leaves out what is damaged", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "mesh.rec")
      const states = yield* recordLife(path)
      truncateSync(path, statSync(path).size - 10)
      yield* recordLife(path)
      const torn = yield* indexRecording(path)
      assert.lengthOf(torn.marks, 2 * (steps.length + 1) - 1)
      assert.lengthOf(torn.damages, 1)
      assert.isFalse(torn.damages[0]?.isTail)

      const bytes = readFileSync(path)
      const third = torn.marks[2]?.at ?? 0
      bytes[third + 40]! ^= 1
      writeFileSync(path, bytes)
      const damaged = yield* indexRecording(path)
      assert.lengthOf(damaged.marks, 2 + steps.length + 1)
      assert.strictEqual(damaged.damages[0]?.at, third)
      const replayed = yield* replayUntil(damaged, Number.POSITIVE_INFINITY)
      assert.strictEqual(replayed && stateOf(replayed.plane), states.get(steps.length * 1000))
    })
  )

  it.effect("takes large transactions in parts, all of them or none", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "mesh.rec")
      const plane = yield* composeFromInputs({ configCluster: "Kubernetes" })
      plane.inputs.apply(emptyMesh)
      const objects = Array.from(
        { length: 1200 },
        (_, i) => machine(`erp-${i}`, `10.1.${i >> 8}.${i & 255}`).objects
      ).flat()
      yield* recording(
        path,
        plane,
        Effect.sync(() => plane.inputs.apply({ ...noInputChanges, objects }))
      )
      assert.lengthOf(readFileSync(path, "utf8").trimEnd().split("\n"), 4)
      assert.lengthOf((yield* indexRecording(path)).marks, 2)
      truncateSync(path, statSync(path).size - 1)
      const cut = yield* indexRecording(path)
      assert.lengthOf(cut.marks, 1)
      assert.isAbove(cut.damages[0]?.bytes ?? 0, 100_000)
    })
  )
})

describe("layerRecorder", () => {
  it.effect("writes no annotation that discovery does not read", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "mesh.rec")
      const plane = yield* composeFromInputs({ configCluster: "Kubernetes" })
      plane.inputs.apply(emptyMesh)
      const container = { name: "cart", env: [{ name: "PASSWORD", value: "hunter2" }] }
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: "cart-1",
          namespace: "shop",
          annotations: {
            "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(container),
            "networking.istio.io/exportTo": "*"
          }
        },
        spec: { containers: [container] },
        status: { phase: "Running", podIP: "10.0.0.9" }
      }
      yield* recording(
        path,
        plane,
        Effect.sync(() => plane.inputs.apply(put("Kubernetes", pod)))
      )
      const text = readFileSync(path, "utf8")
      assert.include(text, "cart-1")
      assert.include(text, "exportTo")
      assert.notInclude(text, "hunter2")
      assert.notInclude(text, "last-applied")
    })
  )

  it.effect("refuses a file that it cannot write", () =>
    Effect.gen(function* () {
      const plane = yield* composeFromInputs({ configCluster: "Kubernetes" })
      const error = yield* Effect.flip(recording("/no/such/folder/mesh.rec", plane, Effect.void))
      assert.match(error.message, /^Cannot record to \/no\/such\/folder\/mesh\.rec: ENOENT/)
    })
  )
})

describe("layerReplayQueries", () => {
  it.effect("answers what a machine saw", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "mesh.rec")
      yield* recordLife(path)
      const rendered = (until: string) =>
        Effect.flatMap(Queries, ({ render }) => render({ name: "erp-1.legacy" })).pipe(
          Effect.map((json) => JSON.stringify(json)),
          Effect.provide(layerReplayQueries(path, Option.some(until)))
        )
      const early = yield* rendered("1970-01-01T00:00:02.5Z")
      assert.include(early, "10.0.0.1")
      assert.notInclude(early, "10.0.0.2")
      assert.include(yield* rendered("1970-01-01T00:00:03Z"), "10.0.0.2")
      const late = yield* Effect.flip(rendered("1970-01-01T00:00:09Z"))
      assert.match(late.message, /erp-1\.legacy/)
      const wrong = yield* Effect.flip(rendered("yesterday"))
      assert.match(wrong.message, /^--until: expected a time/)
      const before = yield* Effect.flip(rendered("1969-12-31T00:00:00Z"))
      assert.match(before.message, /^Nothing is recorded yet/)
    })
  )
})
