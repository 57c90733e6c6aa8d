import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { isLibrary, type Member, maySee, readJson, type Workspace } from "./workspace.ts"

/** What a member's package.json declares against the table, whether it is used or not. */
const declaredProblems = (member: Member, { byName }: Workspace): ReadonlyArray<string> => {
  const { manifest, runtime, unit } = member
  const rows =
    member.rows === 1 ? [] : [`${member.rows} entries of root "boundaries" match "${unit}", want one`]
  const names = [...runtime, ...Object.keys(manifest.devDependencies ?? {})]
  const declared = names.flatMap((name) => {
    const target = byName.get(name)
    if (target === undefined) return []
    return [
      target.unit === "app" && `declares an app, ${name}`,
      target.unit === "testkit" && isLibrary(member) && "a library may not depend on testkit",
      target.unit === "testkit" && runtime.has(name) && "testkit belongs in devDependencies",
      runtime.has(name) && !maySee(member, target) && `${unit} may not depend on ${target.unit}`
    ].filter((why) => why !== false)
  })
  return [...rows, ...declared]
}

/** A package has mod.ts, perhaps testing.ts, and says so alike to Node and to Deno. */
const shapeProblems = ({ dir, manifest, unit }: Member, { rootDir }: Workspace): ReadonlyArray<string> => {
  if (unit === "app") return []
  const has = (file: string): boolean => existsSync(join(rootDir, dir, file))
  const entries = { ".": "./mod.ts", ...(has("testing.ts") ? { "./testing": "./testing.ts" } : {}) }
  const exports = { ...entries, "./internal/*": null }
  const deno = has("deno.json") ? (readJson(join(rootDir, dir, "deno.json")) as Record<string, unknown>) : {}
  const wanted = { name: manifest.name, version: manifest.version, exports: entries }
  return [
    !has("mod.ts") && "mod.ts is missing",
    !isDeepStrictEqual(manifest.exports, exports) && `"exports" must be ${JSON.stringify(exports)}`,
    !isDeepStrictEqual({ name: deno.name, version: deno.version, exports: deno.exports }, wanted) &&
      "deno.json must have package.json's name, version and exports"
  ].filter((why) => why !== false)
}

/** The faults of a member's manifests. */
export const manifestProblems = (member: Member, workspace: Workspace): ReadonlyArray<string> =>
  [...declaredProblems(member, workspace), ...shapeProblems(member, workspace)].map(
    (why) => `${member.dir}: ${why}`
  )
