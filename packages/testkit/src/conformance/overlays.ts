import { applyPatch, type Operation } from "rfc6902"
import { differences } from "./differences.ts"
import type { Json } from "./json.ts"
import type { UnorderedList } from "./order-rules.ts"

/** A deliberate difference from istiod in one expected file: its number in semantics.md and RFC 6902 operations. */
export interface Patch {
  /** `D-9`; several share one entry where they cannot be told apart: `D-13 D-5` */
  readonly d: string
  readonly patch: ReadonlyArray<Operation>
}

export interface PatchedFile {
  readonly json: Json
  /** numbers of the differences that were applied */
  readonly applied: ReadonlyArray<string>
  /** why the patches are at fault; empty if they are not */
  readonly faults: ReadonlyArray<string>
}

const deliberate = /^D-\d+( D-\d+)*$/

/**
 * Applies patches in their order. Each must name its D-number, apply completely, change something that the order
 * rules see, and have a `test` before each change, so that a changed golden is noticed.
 */
export const applyPatches = (
  json: Json,
  patches: ReadonlyArray<Patch>,
  rules: ReadonlyArray<UnorderedList>
): PatchedFile =>
  patches.reduce<PatchedFile>(
    (so, { d, patch }) => {
      const fault = (reason: string): PatchedFile => ({
        ...so,
        faults: [...so.faults, `patch ${d}: ${reason}`]
      })
      if (!deliberate.test(d)) return fault("has no D-number")
      if (!isTested(patch)) return fault("has a change without a test before it")
      const patched = structuredClone(so.json)
      const failed = applyPatch(patched, [...patch]).find((result) => result !== null)
      if (failed) return fault(`does not apply: ${failed.message}`)
      if (differences(so.json, patched, rules).length === 0) return fault("changes nothing")
      return { ...so, json: patched, applied: [...so.applied, ...d.split(" ")] }
    },
    { json, applied: [], faults: [] }
  )

const isTested = (patch: ReadonlyArray<Operation>): boolean =>
  patch.every(({ op }, i) => op === "test" || patch[i - 1]?.op === "test")
