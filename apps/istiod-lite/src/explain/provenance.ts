import type { Collection, Graph, Input } from "@istiod-lite/collections"
import { isKind } from "@istiod-lite/model"

/** Collections whose items are one workload each, by the last part of their names. */
const workloadCollections: ReadonlySet<string> = new Set(["Pod", "pods", "WorkloadEntry", "workloads"])

/**
 * The objects that an item of a derived collection was computed from, by the graph's own account, sorted: also those
 * that were looked for and are not there. Of workloads only those that `workload` (`namespace/name`) names: an
 * EndpointSlice is made from a hundred pods, one of its endpoints from one.
 */
export const objectsBehind = (
  graph: Graph,
  collection: Collection<unknown>,
  key: string,
  workload: string
): ReadonlyArray<string> => {
  const found = new Set<string>()
  const seen = new Set<string>()
  const visit = (of: Collection<unknown>, at: string): void => {
    const id = `${of.name}|${at}`
    if (seen.has(id)) return
    seen.add(id)
    for (const input of graph.inputsOf(of, at)) follow(input)
  }
  const follow = ({ key: at, of, present }: Input): void => {
    if ("lookup" in of) {
      for (const [entry] of of.lookup(at)) step(of.from, entry, true)
    } else step(of, at, present)
  }
  const step = (of: Collection<unknown>, at: string, present: boolean): void => {
    const last = of.name.slice(of.name.lastIndexOf("/") + 1)
    if (workloadCollections.has(last) && !`${at}/`.includes(`${workload}/`)) return
    if (isKind(last)) found.add(`${last} ${at.replace(/^\//, "")}${present ? "" : " (not there)"}`)
    visit(of, at)
  }
  visit(collection, key)
  return [...found].toSorted()
}
