import type { LabelRequirement, LabelSelector } from "../discovery-selectors.ts"
import type { Fields } from "./fields.ts"

/** Kubernetes' LabelSelector. */
export const decodeLabelSelector = (fields: Fields): LabelSelector => ({
  matchLabels: fields.labels("matchLabels"),
  matchExpressions: fields.list("matchExpressions").map(decodeRequirement)
})

const operators: ReadonlyArray<LabelRequirement["operator"]> = ["In", "NotIn", "Exists", "DoesNotExist"]

const decodeRequirement = (fields: Fields): LabelRequirement => {
  const key = fields.requiredText("key", "name a label")
  const operator = fields.oneOf("operator", operators, undefined)
  const values = fields.texts("values")
  const asksForValue = operator === "In" || operator === "NotIn"
  if (operator === undefined && !fields.has("operator")) {
    fields.fail("operator", "is required", `use one of ${operators.join(", ")}`)
  } else if (asksForValue && values.length === 0) {
    fields.fail("values", "is required", `list values, or use Exists or DoesNotExist`)
  } else if (operator !== undefined && !asksForValue && values.length > 0) {
    fields.fail("values", `means nothing with ${operator}`, "remove it, or use In or NotIn")
  }
  return { key, operator: operator ?? "Exists", values }
}
