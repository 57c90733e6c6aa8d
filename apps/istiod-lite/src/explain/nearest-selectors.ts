import { hasLabels, type Labels } from "@istiod-lite/model"
import { drop, type Step } from "./explanation.ts"
import { isAlike } from "./is-alike.ts"
import { labelsText } from "./object-names.ts"
import { differenceText, missingLabels, type Selector } from "./selectors.ts"

/** A workload that nothing made an endpoint of, as selectors see it. */
export interface Unselected {
  readonly object: string
  readonly namespace: string
  readonly labels: Labels
  /** the rule by which Services take such workloads: pods through slices, machines directly */
  readonly rule: "S-13" | "S-21"
}

/** More of them would help nobody. */
const shown = 3

/** The selectors that come closest: empty ones, those of other namespaces, and those that miss by one label. */
export const nearestSelectors = (
  workload: Unselected,
  selectors: ReadonlyArray<Selector>
): ReadonlyArray<Step> => {
  const { labels, namespace, object } = workload
  const own = selectors.filter((selector) => selector.namespace === namespace)
  const steps = [
    ...own
      .filter((selector) => selector.by === "ServiceEntry" && !hasLabels(selector.labels))
      .map(emptySelector),
    ...selectors
      .filter((selector) => selector.namespace !== namespace && hasLabels(selector.labels))
      .filter((selector) => !hasLabels(missingLabels(selector.labels, labels)))
      .map((selector) => otherNamespace(selector, workload)),
    ...own.flatMap((selector) => nearMiss(selector, workload)).slice(0, shown)
  ]
  return steps.length > 0
    ? steps
    : [
        drop(
          "service",
          "S-32",
          `no Service or ServiceEntry of namespace ${namespace} selects ${object}`,
          `put labels on ${object} that a spec.selector or spec.workloadSelector of its namespace names`
        )
      ]
}

const ruleOf = ({ by }: Selector, { rule }: Unselected): string => (by === "Service" ? rule : "S-32")

const emptySelector = ({ field, object }: Selector): Step =>
  drop(
    "service",
    "D-16",
    `${object} has an empty workloadSelector, which selects nothing`,
    `name labels in ${field} of ${object}, or leave spec.workloadSelector out and list spec.endpoints`
  )

const otherNamespace = (selector: Selector, workload: Unselected): Step =>
  drop(
    "service",
    ruleOf(selector, workload),
    `${selector.object} would select it, but selects in namespace ${selector.namespace} only; ` +
      `${workload.object} is in ${workload.namespace}`,
    `move ${workload.object} to namespace ${selector.namespace}, or declare the service in ${workload.namespace}`
  )

/** Why a selector of the workload's namespace does not select it; empty if it is too far off to be meant. */
export const nearMiss = (selector: Selector, workload: Unselected): ReadonlyArray<Step> => {
  const { labels, object } = workload
  const missing = missingLabels(selector.labels, labels)
  const [[name, value] = ["", ""], ...others] = Object.entries(missing)
  const isOnlyOne = Object.keys(selector.labels).length === 1
  const isClose = others.length === 0 && (!isOnlyOne || isAlike(value, labels[name]))
  if (name === "" || !isClose) return []
  return [
    drop(
      "service",
      ruleOf(selector, workload),
      `${selector.object} does not select it: label ${differenceText(missing, labels)}`,
      `set label ${labelsText(missing)} on ${object}, or change ${selector.field} of ${selector.object}`
    )
  ]
}
