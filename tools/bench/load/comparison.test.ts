import { assert, describe, it } from "@effect/vitest"
import { compareRuns, type ServerRun } from "./comparison.ts"
import { comparisonTable, failureLine } from "./comparison-table.ts"
import { selectWorkloads, workloads } from "./workloads.ts"

const run = (round: number, p50: number, failures: ReadonlyArray<string> = []): ServerRun => ({
  round,
  failures,
  phases: {
    "": { figures: { "last stream, p50": p50 }, failures },
    warm: { figures: { "server CPU per change": p50 * 10 }, failures: [] }
  }
})
const workload = {
  phases: [
    { name: "", client: "", figures: ["last stream, p50"] },
    { name: "warm", client: "", figures: ["server CPU per change"] }
  ],
  aims: [
    { phase: "", figure: "last stream, p50", atMost: 0.3, variant: "default" },
    { phase: "warm", figure: "server CPU per change", atMost: 0.2, variant: "default" }
  ]
} as const

const theirs = [run(0, 10), run(1, 12), run(2, 8)]
const ours = [run(0, 2), run(1, 3), run(2, 4)]

describe("compareRuns", () => {
  it("gives medians, their ratio, and whether the target is met", () => {
    const [last, cpu] = compareRuns(workload, "default", ours, theirs)
    assert.strictEqual(last?.figure, "last stream, p50")
    assert.strictEqual(last?.ours?.median, 3)
    assert.strictEqual(last?.theirs?.median, 10)
    assert.deepStrictEqual(last?.ratio, { ofMedians: 0.3, min: 0.2, max: 0.5 })
    assert.isTrue(last?.met)
    assert.strictEqual(cpu?.figure, "warm: server CPU per change")
    assert.isFalse(cpu?.met)
  })

  it("has no targets beside other variants", () => {
    const compared = compareRuns(workload, "EDS debounce off", ours, theirs)
    assert.deepStrictEqual(
      compared.map(({ met, target }) => [met, target]),
      [
        [undefined, undefined],
        [undefined, undefined]
      ]
    )
  })

  it("does not count runs that failed", () => {
    const [last] = compareRuns(workload, "default", [run(0, 1, ["stale"]), run(1, 6)], theirs)
    assert.deepStrictEqual(last?.ours?.values, [6])
    assert.deepStrictEqual(last?.ratio, { ofMedians: 0.6, min: 0.5, max: 0.5 })
    const [nothing] = compareRuns(workload, "default", [run(0, 1, ["stale"])], theirs)
    assert.isUndefined(nothing?.ours)
    assert.isUndefined(nothing?.ratio)
    assert.isFalse(nothing?.met)
  })
})

it("comparisonTable shows what is missing, spreads where there are any, and verdicts", () => {
  const figures = [
    ...compareRuns(workload, "default", ours, theirs),
    ...compareRuns({ ...workload, phases: [workload.phases[0]] }, "default", [], theirs.slice(0, 1))
  ]
  assert.deepStrictEqual(comparisonTable("ours", { with: "istiod", figures }).split("\n"), [
    "figure                       unit  istiod        ours        ratio          target",
    "last stream, p50             ms    10 (8–12)     3 (2–4)     0.3 (0.2–0.5)  ≤ 0.3   met",
    "warm: server CPU per change  ms    100 (80–120)  30 (20–40)  0.3 (0.2–0.5)  ≤ 0.2   MISSED",
    "last stream, p50             ms    10            –           –              ≤ 0.3   MISSED"
  ])
})

it("failureLine counts runs that do not count and says why", () => {
  assert.strictEqual(failureLine("ours", ours), "ours: all 3 runs served everything")
  assert.strictEqual(
    failureLine("ours", [run(0, 1), run(1, 1, ["3 clusters stale at the end"])]),
    "ours: 1 of 2 runs FAILED and do not count: round 2: 3 clusters stale at the end"
  )
})

const names = (...patterns: ReadonlyArray<string>) => selectWorkloads(patterns).map(({ name }) => name)

describe("selectWorkloads", () => {
  it("takes names and globs, in the order of the list, and all without any", () => {
    assert.deepStrictEqual(names("d50", "b-default"), ["b-default", "d50"])
    assert.deepStrictEqual(names("*-tls"), ["c1000-tls", "d50-tls"])
    assert.strictEqual(names().length, workloads.length)
  })

  it("refuses what is not there", () => {
    assert.throws(() => names("b-default", "z"), /There is no workload z; there is b-default, /)
  })
})

it("every aim is for a figure that its workload reports, and for a variant that it has", () => {
  for (const { aims, istiod, name, phases } of workloads)
    for (const { figure, phase, variant } of aims) {
      assert.include(phases.find((one) => one.name === phase)?.figures ?? [], figure, name)
      assert.include(Object.keys(istiod), variant, name)
    }
})
