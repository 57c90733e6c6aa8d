import { assert, it } from "@effect/vitest"
import { scenarioLines, summaryLines } from "./report.ts"
import type { FileResult, ScenarioResult } from "./results.ts"

const equal: FileResult = { file: "web.eds.json", kind: "eds", deviations: [], faults: [], differences: [] }
const different: FileResult = { ...equal, differences: [{ path: "/0", expected: "a", actual: "b" }] }
const passed: ScenarioResult = { name: "a/passed", files: [equal], faults: [] }
const refused: ScenarioResult = { ...passed, name: "a/refused", files: [different], refused: "Service x: no" }
const failed: ScenarioResult = { ...passed, name: "a/failed", files: [equal, different] }

it("counts a refused scenario apart, and none of its files", () => {
  assert.deepStrictEqual(summaryLines([passed, refused, failed]), [
    "kind       passed failed  (files)",
    "eds             2      1",
    "1 not run: the API server refuses an object of theirs",
    "1 passed, 1 failed"
  ])
  assert.deepStrictEqual(scenarioLines(refused, true), ["refused a/refused: Service x: no"])
})
