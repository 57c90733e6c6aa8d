import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { availableParallelism } from "node:os"
import { describeFailure } from "./describe-failure.ts"
import { batchCount, generateHistory } from "./generate/generate-history.ts"
import { plantedFaults } from "./planted-faults.ts"
import { playHistory } from "./play-history.ts"
import { shrinkHistory } from "./shrink-history.ts"
import type { FailedSeed } from "./simulate-seeds.ts"
import { simulateInWorkers } from "./worker-pool.ts"

const minute = 60_000

describe("generateHistory", () => {
  it("gives the same history for the same seed, and another for another", () => {
    assert.deepEqual(generateHistory(7), generateHistory(7))
    assert.notDeepEqual(generateHistory(7).batches, generateHistory(8).batches)
  })

  it("gives histories of at least 60 batches in which all kinds of events occur", () => {
    const histories = Array.from({ length: 20 }, (_, seed) => generateHistory(seed))
    const actions = new Set(
      histories.flatMap(({ batches }) => batches.flatMap(({ events }) => events.map(({ action }) => action)))
    )
    for (const { batches } of histories) assert.isAtLeast(batches.length, batchCount)
    assert.deepEqual([...actions].toSorted(), [
      "apply",
      "configure",
      "delete",
      "relist",
      "removeCluster",
      "replaceCluster"
    ])
  })
})

describe("the control plane under simulated histories", () => {
  it.live(
    "derives what one built anew derives, tells clients what new ones are told, and keeps nothing else",
    () =>
      Effect.gen(function* () {
        const failures: Array<FailedSeed> = []
        let histories = 0
        yield* simulateInWorkers(
          { from: 1, count: 100 },
          {
            workers: availableParallelism(),
            progress: (played, failed) => {
              histories += played
              failures.push(...failed)
            }
          }
        )
        assert.deepEqual(failures, [])
        assert.strictEqual(histories, 100)
      }),
    10 * minute
  )
})

describe("planted faults", () => {
  const seedsToFind = 40

  it.each(Object.keys(plantedFaults))("%s is found", { timeout: 2 * minute }, (name) => {
    const hooks = plantedFaults[name]!
    const isFound = Array.from({ length: seedsToFind }, (_, i) => i + 1).some(
      (seed) => playHistory(generateHistory(seed), hooks()) !== undefined
    )
    assert.isTrue(isFound)
  })

  it("a failing history shrinks to the few events that show the fault", { timeout: 2 * minute }, () => {
    const hooks = plantedFaults["naive-swap"]!
    const history = generateHistory(1)
    const failure = playHistory(history, hooks())!
    const shrunk = shrinkHistory({ history, failure }, hooks)
    assert.isDefined(playHistory(shrunk.history, hooks()))
    assert.isUndefined(playHistory(shrunk.history))
    assert.isAtMost(shrunk.history.batches.flatMap(({ events }) => events).length, 12)
    assert.match(describeFailure(shrunk).join("\n"), /replaced by .*empty meanwhile/s)
  })
})
