import { differences } from "./differences.ts"
import { type Json, withoutEmptyFields } from "./json.ts"
import type { OutputKind } from "./output-kinds.ts"
import { applyPatches, type Patch } from "./overlays.ts"
import type { FileResult } from "./results.ts"
import type { ExpectedFile } from "./scenario.ts"

/** Holds our output against an expected file: `right/`, then the patches, then istiod's choices, then the order rules. */
export const compareFile = (
  file: string,
  kind: OutputKind,
  expected: ExpectedFile,
  patches: ReadonlyArray<Patch>,
  actual: Json
): FileResult => {
  const patched = applyPatches(expected.json, patches, kind.order)
  const compare = (golden: Json) => differencesOf(golden, expected.corrected, kind, actual)
  const found = compare(patched.json)
  const unneeded = found.length > 0 && patches.length > 0 && compare(expected.json).length === 0
  return {
    file,
    kind: kind.name,
    deviations: patched.applied,
    faults: unneeded
      ? [...patched.faults, `patch ${patches.map(({ d }) => d).join(" ")}: is not needed`]
      : patched.faults,
    differences: found
  }
}

const differencesOf = (golden: Json, corrected: boolean, kind: OutputKind, actual: Json) => {
  const settled = kind.settle?.(golden, actual) ?? golden
  return corrected
    ? differences(withoutEmptyFields(settled), withoutEmptyFields(actual), kind.order)
    : differences(settled, actual, kind.order)
}
