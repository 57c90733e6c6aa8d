import { Effect, Schema } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Operation } from "rfc6902"
import type { Patch } from "./overlays.ts"
import { ScenarioError } from "./scenario-error.ts"

const suffix = ".patch.json"

const Operations = Schema.Array(
  Schema.Union([
    Schema.Struct({
      op: Schema.Literals(["add", "replace", "test"]),
      path: Schema.String,
      value: Schema.Json
    }),
    Schema.Struct({ op: Schema.Literal("remove"), path: Schema.String })
  ])
)

const Patches = Schema.Array(Schema.Struct({ d: Schema.String, patch: Operations }))

/** The patches of a scenario by the file they are for: `services.json`, `01/web.eds.json`. */
export const loadOverlays = (
  root: string,
  scenario: string
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<Patch>>, ScenarioError> =>
  Effect.try({
    try: () => readOverlays(join(root, scenario)),
    catch: (cause) => new ScenarioError({ scenario, reason: `its overlay cannot be read: ${String(cause)}` })
  })

const readOverlays = (folder: string): ReadonlyMap<string, ReadonlyArray<Patch>> => {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(suffix)
  )
  return new Map(
    files.toSorted().map((name) => [
      name.slice(0, -suffix.length).replaceAll("\\", "/"),
      Schema.decodeUnknownSync(Patches)(JSON.parse(readFileSync(join(folder, name), "utf8")), {
        errors: "all"
      }).map(({ d, patch }): Patch => ({ d, patch: patch satisfies ReadonlyArray<Operation> }))
    ])
  )
}
