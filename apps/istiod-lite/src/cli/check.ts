import {
  checkManifests,
  compareByPlace,
  formatManifestFault,
  type MeshFileOptions
} from "@istiod-lite/source-files"
import { Console, Data, Effect } from "effect"
import { findRelations } from "../check/find-relations.ts"
import { counted } from "../tables/table.ts"

/** There are faults; they have been printed. */
export class FaultsFound extends Data.TaggedError("FaultsFound")<{ readonly message: string }> {}

/** What is checked, and how. */
export interface CheckOptions extends MeshFileOptions {
  readonly paths: ReadonlyArray<string>
  /** whether objects are held against each other, too */
  readonly relations: boolean
}

/** Prints each fault with its place, then what is good. Fails when there is a fault worse than an unused kind. */
export const check = ({ paths, relations, ...mesh }: CheckOptions): Effect.Effect<void, FaultsFound> =>
  Effect.gen(function* () {
    const found = yield* checkManifests(paths, mesh)
    const { counts } = found
    const faults = relations
      ? [...found.faults, ...findRelations(found)].toSorted(compareByPlace)
      : found.faults
    for (const fault of faults) yield* Console.log(formatManifestFault(fault))
    const good = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ")
    yield* Console.log(`Good: ${good === "" ? "nothing" : good}`)
    const grave = faults.filter(({ severity }) => severity !== "info").length
    return yield* grave > 0 ? new FaultsFound({ message: `${counted(grave, "fault")} found` }) : Effect.void
  })
