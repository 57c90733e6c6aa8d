import { checkManifests, formatManifestFault, type MeshFileOptions } from "@istiod-lite/source-files"
import { Console, Data, Effect } from "effect"
import { counted } from "../tables/table.ts"

/** There are faults; they have been printed. */
export class FaultsFound extends Data.TaggedError("FaultsFound")<{ readonly message: string }> {}

/** Prints each fault with its place, then what is good. Fails when there is a fault worse than an unused kind. */
export const check = (
  paths: ReadonlyArray<string>,
  mesh: MeshFileOptions
): Effect.Effect<void, FaultsFound> =>
  Effect.gen(function* () {
    const { counts, faults } = yield* checkManifests(paths, mesh)
    for (const fault of faults) yield* Console.log(formatManifestFault(fault))
    const good = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ")
    yield* Console.log(`Good: ${good === "" ? "nothing" : good}`)
    const grave = faults.filter(({ severity }) => severity !== "info").length
    return yield* grave > 0 ? new FaultsFound({ message: `${counted(grave, "fault")} found` }) : Effect.void
  })
