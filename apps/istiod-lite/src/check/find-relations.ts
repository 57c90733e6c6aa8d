import type { ManifestCheck, ManifestFault } from "@istiod-lite/source-files"
import { makeCheckedRun } from "./checked-run.ts"
import { machinePortRelations } from "./machine-port-relations.ts"
import { ruleHostRelations } from "./rule-host-relations.ts"
import { selectorRelations } from "./selector-relations.ts"
import { sliceRelations } from "./slice-relations.ts"

const relations = [sliceRelations, selectorRelations, machinePortRelations, ruleHostRelations]

/**
 * What does not fit together among the objects of one run, as warnings. A part of a mesh is checked
 * without noise: where no object of a kind is there, in the namespace that a name would lead to, all are taken to be
 * elsewhere. An object that is there but faulty counts as there.
 */
export const findRelations = (
  check: Pick<ManifestCheck, "mesh" | "objects" | "rejected">
): ReadonlyArray<ManifestFault> => {
  const run = makeCheckedRun(check)
  return relations.flatMap((find) => find(run))
}
