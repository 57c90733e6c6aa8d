import { loadKubeConfig, makeKubeClient } from "@istiod-lite/source-kube"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { findScenarios } from "./load-scenario.ts"
import { laterKinds, outputKinds } from "./output-kinds.ts"
import { scenarioLines, summaryLines } from "./report.ts"
import { isPassed } from "./results.ts"
import { runScenario } from "./run-scenario.ts"

const usage =
  "Usage: npm run conformance -- [--only KIND,…] [--verbose] [--json FILE] [--overlays DIR] " +
  "[--via-apiserver] DIR…"

const { positionals: folders, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    verbose: { type: "boolean", default: false },
    json: { type: "string" },
    kubeconfig: { type: "string", multiple: true, default: [] },
    overlays: { type: "string", default: join(import.meta.dirname, "../../conformance/overlays") }
  }
})

const main = Effect.gen(function* () {
  const kinds = options.only === undefined ? undefined : new Set(options.only.split(","))
  const unknown = [...(kinds ?? [])].filter((kind) => !outputKinds.some(({ name }) => name === kind))
  if (folders.length === 0 || unknown.length > 0) {
    for (const kind of unknown) yield* Effect.sync(() => console.error(unknownKind(kind)))
    yield* Effect.sync(() => console.error(usage))
    return 2
  }
  const scenarios = folders.flatMap(findScenarios)
  const clients = yield* Effect.forEach(options.kubeconfig, (file) =>
    Effect.flatMap(loadKubeConfig({ from: "file", file }), makeKubeClient)
  )
  const apiServers = clients.length === 0 ? undefined : clients
  if (scenarios.length === 0)
    yield* Effect.sync(() => console.error(`Cannot find a scenario.yaml below ${folders.join(", ")}`))
  const results = yield* Effect.forEach(scenarios, (folder) =>
    runScenario(folder, { kinds, overlays: options.overlays, apiServers }).pipe(
      Effect.tap((result) =>
        Effect.sync(() => console.log(scenarioLines(result, options.verbose).join("\n")))
      )
    )
  )
  const { json } = options
  if (json !== undefined) yield* Effect.sync(() => writeFileSync(json, JSON.stringify(results, null, 2)))
  yield* Effect.sync(() => console.log(summaryLines(results).join("\n")))
  return results.some(isPassed) && results.every((result) => isPassed(result) || result.refused !== undefined)
    ? 0
    : 1
})

const unknownKind = (kind: string): string =>
  laterKinds.includes(kind)
    ? `Cannot compare ${kind}: it is not made yet`
    : `Cannot compare ${kind}: there is no such kind; kinds are ${outputKinds.map(({ name }) => name).join(", ")}`

process.exitCode = await Effect.runPromise(Effect.scoped(main))
