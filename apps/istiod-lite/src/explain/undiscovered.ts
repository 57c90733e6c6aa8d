import { untracked } from "@istiod-lite/collections"
import { isDiscovered, type ObjectMeta } from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"

/** Why objects of a namespace do not count, and what to do about it. */
export interface Undiscovered {
  readonly text: string
  readonly remedy: string
}

/** What the mesh's discovery selectors say against objects of a namespace; undefined if they count. */
export const undiscovered = (
  { objects, policy }: Pick<ExplainSources, "objects" | "policy">,
  cluster: string,
  { namespace }: Pick<ObjectMeta, "namespace">
): Undiscovered | undefined => {
  const namespaces = objects.clusters.get(cluster)?.objects.Namespace
  if (namespaces === undefined) return undefined
  if (isDiscovered(policy.mesh(untracked), namespace, untracked, namespaces)) return undefined
  const name = `Namespace ${namespace}`
  const isKnown = namespaces.get(`/${namespace}`) !== undefined
  return {
    text: `${name}${isKnown ? "" : ", which is not there,"} is selected by no discoverySelectors of the mesh configuration`,
    remedy: `give ${name} the labels that one of discoverySelectors asks for`
  }
}
