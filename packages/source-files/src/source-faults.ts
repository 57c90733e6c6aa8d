import type { Collection } from "@istiod-lite/collections"
import { Context } from "effect"
import type { ManifestFault } from "./manifest-fault.ts"

/** What is wrong with the files now: the faults of each file, by its name. Changes with the objects, in one transaction. */
export class SourceFaults extends Context.Service<SourceFaults, Collection<ReadonlyArray<ManifestFault>>>()(
  "@istiod-lite/source-files/SourceFaults"
) {}
