import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { findScenarios, scenarioName } from "./load-scenario.ts"
import type { Arrival } from "./play-scenario.ts"
import { scenarioLines } from "./report.ts"
import { isPassed } from "./results.ts"
import { runScenario } from "./run-scenario.ts"

const folder = join(import.meta.dirname, "../../conformance")

const passes = (scenario: string, arrival: Arrival) =>
  Effect.gen(function* () {
    const result = yield* runScenario(scenario, { overlays: join(folder, "overlays"), arrival })
    assert.isTrue(isPassed(result), scenarioLines(result, false).join("\n"))
  })

describe("conformance with istiod", () => {
  for (const scenario of findScenarios(join(folder, "scenarios"))) {
    it.effect(scenarioName(scenario), () => passes(scenario, "together"))
    it.effect(`${scenarioName(scenario)}, objects one by one and backwards`, () =>
      passes(scenario, "backwards")
    )
  }
})
