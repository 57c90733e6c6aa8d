import { hasLabels, type Labels } from "@istiod-lite/model"
import { drop, type Step } from "./explanation.ts"
import { labelsText } from "./object-names.ts"
import { differenceText, missingLabels, type Selector } from "./selectors.ts"

/** A workload that nothing made an endpoint of, as selectors see it. */
export interface Unselected {
  readonly object: string
  readonly namespace: string
  readonly labels: Labels
}

/** The selectors that come closest: empty ones, those of other namespaces, and those that miss by one label. */
export const nearestSelectors = (
  { labels, namespace, object }: Unselected,
  selectors: ReadonlyArray<Selector>
): ReadonlyArray<Step> => {
  const own = selectors.filter((selector) => selector.namespace === namespace)
  const steps = [
    ...own
      .filter((selector) => selector.by === "ServiceEntry" && !hasLabels(selector.labels))
      .map(emptySelector),
    ...selectors
      .filter((selector) => selector.namespace !== namespace && hasLabels(selector.labels))
      .filter((selector) => !hasLabels(missingLabels(selector.labels, labels)))
      .map((selector) => otherNamespace(selector, object, namespace)),
    ...own.flatMap((selector) => nearMiss(selector, object, labels))
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

const emptySelector = ({ field, object }: Selector): Step =>
  drop(
    "service",
    "D-16",
    `${object} has an empty workloadSelector, which selects nothing`,
    `name labels in ${field} of ${object}, or leave spec.workloadSelector out and list spec.endpoints`
  )

const otherNamespace = (selector: Selector, object: string, namespace: string): Step =>
  drop(
    "service",
    selector.by === "Service" ? "S-21" : "S-32",
    `${selector.object} would select it, but selects in namespace ${selector.namespace} only; ${object} is in ${namespace}`,
    `move ${object} to namespace ${selector.namespace}, or declare the service in ${namespace}`
  )

const nearMiss = (selector: Selector, object: string, labels: Labels): ReadonlyArray<Step> => {
  const missing = missingLabels(selector.labels, labels)
  const wanted = Object.keys(selector.labels).length
  const lacks = Object.keys(missing).length
  // A selector of one label comes close only if the workload has that label, with another value.
  const isClose =
    lacks === 1 && (wanted > 1 || Object.keys(missing).some((name) => labels[name] !== undefined))
  if (!isClose) return []
  return [
    drop(
      "service",
      selector.by === "Service" ? "S-21" : "S-32",
      `${selector.object} does not select it: label ${differenceText(missing, labels)}`,
      `set label ${labelsText(missing)} on ${object}, or change ${selector.field} of ${selector.object}`
    )
  ]
}
