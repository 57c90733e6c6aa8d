/** `npm run simulate`: plays histories of simulated meshes, replays and shrinks the one of a seed, tries the planted faults. */
import { Effect } from "effect"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { describeFailure } from "./describe-failure.ts"
import { generateHistory } from "./generate/generate-history.ts"
import { plantedFaults } from "./planted-faults.ts"
import { playHistory } from "./play-history.ts"
import { progressReporter } from "./progress.ts"
import { shrinkHistory } from "./shrink-history.ts"
import { type FailedSeed, simulateSeeds } from "./simulate-seeds.ts"
import { simulateInWorkers } from "./worker-pool.ts"

const usage = "Usage: npm run simulate -- --histories N [--from SEED] [--workers W] | --seed SEED | --faults"

const { values: options } = parseArgs({
  options: {
    histories: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    faults: { type: "boolean", default: false }
  }
})

const say = (...lines: ReadonlyArray<string>): void => lines.forEach((line) => console.log(line))

const failureLine = ({ batch, difference: { key, what }, seed }: FailedSeed): string =>
  `FAILED seed ${seed} after batch ${batch}: ${what}, ${key}`

const summary = (count: number, failed: number): string => `${count - failed} passed, ${failed} failed`

/** Plays one seed; if it fails, prints the smallest part of its history that still does. */
const replay = (seed: number): number => {
  const history = generateHistory(seed)
  const failure = playHistory(history)
  if (failure !== undefined) {
    say(failureLine({ seed, ...failure }), "shrinking …")
    say(...describeFailure(shrinkHistory({ history, failure })))
  }
  say(summary(1, failure === undefined ? 0 : 1))
  return failure === undefined ? 0 : 1
}

/** Says for each planted fault which history finds it first; fails if one is not found. */
const tryFaults = (from: number, limit: number): number => {
  const names = Object.entries(plantedFaults)
  const missed = names.filter(([name, hooks]) => {
    for (let i = 0; i < limit; i++) {
      const [failure] = simulateSeeds({ from: from + i, count: 1 }, hooks)
      if (failure === undefined) continue
      say(`${name}: found by history ${i + 1}: ${failureLine(failure)}`)
      return false
    }
    say(`${name}: NOT found by ${limit} histories`)
    return true
  })
  say(summary(names.length, missed.length))
  return missed.length === 0 ? 0 : 1
}

const simulate = (from: number, count: number, workers: number): Effect.Effect<number> =>
  Effect.gen(function* () {
    const failures: Array<FailedSeed> = []
    const reporter = progressReporter(process.stdout)
    const started = performance.now()
    const seconds = (): number => (performance.now() - started) / 1000
    let played = 0
    yield* simulateInWorkers(
      { from, count },
      {
        workers,
        progress: (more, failed) => {
          played += more
          failures.push(...failed)
          if (failed.length > 0) reporter.end()
          say(...failed.map(failureLine))
          reporter.show({ played, failed: failures.length, of: count, seconds: seconds() })
        }
      }
    )
    reporter.end()
    const [first] = failures.toSorted((a, b) => a.seed - b.seed)
    yield* Effect.sync(() => {
      if (first !== undefined) say(`Replay and shrink one by: npm run simulate -- --seed ${first.seed}`)
      say(`seeds ${from} to ${from + count - 1} in ${seconds().toFixed(0)} s on ${workers} threads`)
      say(summary(count, failures.length))
    })
    return failures.length === 0 ? 0 : 1
  })

const [from, count, workers] = [options.from, options.histories, options.workers].map(Number)
if (![from, count, workers, Number(options.seed ?? 0)].every(Number.isSafeInteger) || !count || !workers) {
  console.error(usage)
  process.exitCode = 2
} else if (options.seed !== undefined) process.exitCode = replay(Number(options.seed))
else if (options.faults) process.exitCode = tryFaults(from ?? 1, count)
else process.exitCode = await Effect.runPromise(simulate(from ?? 1, count, workers))
