import { hasLabels, type Labels } from "../labels.ts"
import type { Fields } from "./fields.ts"

/**
 * A policy's workload selector, where an empty one means what none means: the whole namespace. `field` is the name
 * that the kind gives the labels within the selector.
 */
export const decodePolicySelector = (
  spec: Fields,
  name: "selector" | "workloadSelector",
  field: "labels" | "matchLabels"
): Labels | undefined => {
  const selector = spec.optional(name)
  if (selector === undefined) return undefined
  const labels = selector.labels(field)
  if (hasLabels(labels)) return labels
  spec.warn(name, "an empty selector applies to the whole namespace", `name labels, or remove ${name}`)
  return undefined
}

/** Who may see the object: `*`, `.`, `~` or namespaces; empty is the mesh default (S-46). */
export const decodeExportTo = (spec: Fields): ReadonlyArray<string> => spec.texts("exportTo")
