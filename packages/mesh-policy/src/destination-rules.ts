import {
  type DestinationRule,
  equalLabels,
  type Labels,
  objectKey,
  type ObjectMeta,
  selects
} from "@istiod-lite/model"
import { compareBySelectorAndAge } from "./policy-order.ts"
import { everyone } from "./visibility.ts"

/** One or more rules for the same host, merged into one. The value stays the same one while no part changes. */
export interface MergedDestinationRule {
  readonly rule: DestinationRule
  /** the objects it was made of, the first one first */
  readonly from: ReadonlyArray<ObjectMeta>
}

/** A merged rule and whom it is for, as its first rule's `exportTo` says; empty = all. */
export interface ExportedRule extends MergedDestinationRule {
  readonly exportTo: ReadonlySet<string>
}

/** The rules of one namespace for one host, by who looks for them. A rule may stand in two of the lists. */
export interface HostRules {
  readonly namespace: string
  readonly host: string
  /** for proxies of the namespace itself */
  readonly local: ReadonlyArray<ExportedRule>
  /** for proxies of others */
  readonly exported: ReadonlyArray<ExportedRule>
  /** exported to nobody but the namespace itself */
  readonly private: ReadonlyArray<ExportedRule>
}

/**
 * Sorts the rules of one namespace for one host into those lists and merges each (S-49). A rule that selects
 * workloads is never exported.
 *
 * @param meshDefault MeshConfig's defaultDestinationRuleExportTo, of which only `.` is honoured
 *
 * Source: istio pilot/pkg/model/push_context.go (setDestinationRules).
 */
export const gatherRules = (
  namespace: string,
  host: string,
  rules: ReadonlyArray<DestinationRule>,
  meshDefault: ReadonlyArray<string>
): HostRules => {
  const candidates = rules.toSorted(compareBySelectorAndAge).map((rule): ExportedRule => {
    const exportTo = new Set(rule.workloadSelector === undefined ? rule.exportTo : ["."])
    return { exportTo, from: [rule.meta], rule }
  })
  const isLocal = ({ exportTo }: ExportedRule): boolean =>
    exportTo.size === 0 || exportTo.has(everyone) || exportTo.has(".") || exportTo.has(namespace)
  const isPrivate = ({ exportTo }: ExportedRule): boolean =>
    exportTo.size === 0
      ? meshDefault.includes(".")
      : exportTo.size === 1 && (exportTo.has(".") || exportTo.has(namespace))
  return {
    namespace,
    host,
    local: mergeAll(candidates.filter(isLocal)),
    exported: mergeAll(candidates.filter((rule) => !isPrivate(rule))),
    private: mergeAll(candidates.filter(isPrivate))
  }
}

const mergeAll = (rules: ReadonlyArray<ExportedRule>): ReadonlyArray<ExportedRule> =>
  rules.reduce<ReadonlyArray<ExportedRule>>(mergeInto, [])

/**
 * Adds a rule to the merged ones: into every one with the same audience, or a smaller one, and the same selector;
 * and beside them if the last of them took it not, or only in part.
 *
 * Source: istio pilot/pkg/model/destination_rule.go (mergeDestinationRule).
 */
const mergeInto = (merged: ReadonlyArray<ExportedRule>, next: ExportedRule): ReadonlyArray<ExportedRule> => {
  let beside = true
  const widened = merged.map((first) => {
    const same = first.exportTo.symmetricDifference(next.exportTo).size === 0
    const wider = first.exportTo.size > 0 && next.exportTo.isSupersetOf(first.exportTo)
    const selectors = compareSelectors(first.rule.workloadSelector, next.rule.workloadSelector)
    if ((!same && !wider) || selectors === "differ") {
      beside = true
      return first
    }
    beside = selectors === "mixed" && !same
    return mergePair(first, next)
  })
  return beside ? [...widened, next] : widened
}

const compareSelectors = (a: Labels | undefined, b: Labels | undefined): "equal" | "differ" | "mixed" => {
  if (a === undefined || b === undefined) return a === b ? "equal" : "mixed"
  return equalLabels(a, b) ? "equal" : "differ"
}

/** The later rule adds subsets with new names, and its policy if there was none. */
const mergePair = (first: ExportedRule, next: ExportedRule): ExportedRule => {
  const known = new Set(first.rule.subsets.map(({ name }) => name))
  return {
    exportTo: first.exportTo,
    from: [...first.from, ...next.from],
    rule: {
      ...first.rule,
      subsets: [...first.rule.subsets, ...next.rule.subsets.filter(({ name }) => !known.has(name))],
      trafficPolicy: first.rule.trafficPolicy ?? next.rule.trafficPolicy
    }
  }
}

/** The exported rules that are for clients of a namespace. */
export const exportedTo = (
  rules: ReadonlyArray<ExportedRule>,
  namespace: string
): ReadonlyArray<ExportedRule> =>
  rules.filter(({ exportTo }) => exportTo.size === 0 || exportTo.has(everyone) || exportTo.has(namespace))

/**
 * The one of a host's rules that holds for a workload: the first of its own namespace that selects it, else the last
 * one for all. The workload's labels are looked at only if some rule selects by them.
 *
 * Source: istio pilot/pkg/model/sidecar.go (SidecarScope.DestinationRule).
 */
export const ruleForWorkload = (
  rules: ReadonlyArray<ExportedRule>,
  namespace: string,
  workload: { readonly labels: Labels }
): MergedDestinationRule | undefined =>
  rules.find(
    ({ rule: { meta, workloadSelector } }) =>
      workloadSelector !== undefined &&
      meta.namespace === namespace &&
      selects(workloadSelector, workload.labels)
  ) ?? rules.findLast(({ rule }) => rule.workloadSelector === undefined)

/** Whether two states of a rule say the same; what only its metadata says, a version say, is no change (D-15). */
export const equalRules = (a: DestinationRule, b: DestinationRule): boolean =>
  a === b ||
  (a.meta.creationTime === b.meta.creationTime &&
    JSON.stringify({ ...a, meta: undefined }) === JSON.stringify({ ...b, meta: undefined }))

/** Whether the merged rules of a host say the same to the same audiences, and are of the same objects. */
export const equalHostRules = (a: HostRules, b: HostRules): boolean =>
  equalLists(a.local, b.local) && equalLists(a.exported, b.exported) && equalLists(a.private, b.private)

const equalLists = (a: ReadonlyArray<ExportedRule>, b: ReadonlyArray<ExportedRule>): boolean =>
  a.length === b.length &&
  a.every((merged, i) => {
    const other = b[i]
    return (
      other !== undefined &&
      merged.exportTo.symmetricDifference(other.exportTo).size === 0 &&
      String(merged.from.map(objectKey)) === String(other.from.map(objectKey)) &&
      equalRules(merged.rule, other.rule)
    )
  })
