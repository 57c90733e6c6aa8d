import { compareText, type ObjectMeta } from "@istiod-lite/model"

/** Older objects first; ties by name, then namespace (D-14). */
export const compareMetaByAge = (
  a: Pick<ObjectMeta, "creationTime" | "name" | "namespace">,
  b: Pick<ObjectMeta, "creationTime" | "name" | "namespace">
): number =>
  compareText(a.creationTime, b.creationTime) ||
  compareText(a.name, b.name) ||
  compareText(a.namespace, b.namespace)

/** Objects that select workloads before those for a whole namespace, each by age. */
export const compareBySelectorAndAge = <
  T extends { readonly meta: ObjectMeta; readonly workloadSelector: unknown }
>(
  a: T,
  b: T
): number => {
  const selectors = Number(a.workloadSelector === undefined) - Number(b.workloadSelector === undefined)
  return selectors || compareMetaByAge(a.meta, b.meta)
}
