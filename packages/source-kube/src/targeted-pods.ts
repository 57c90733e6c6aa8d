import { type EndpointSlice, objectKey } from "@istiod-lite/model"

/** Keys of the pods that slices name as what is behind their addresses. */
export const targetedPods = (slices: Iterable<EndpointSlice>): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const { endpoints, meta } of slices) {
    for (const { targetRef } of endpoints) {
      if (targetRef?.kind !== "Pod") continue
      keys.add(objectKey({ namespace: targetRef.namespace || meta.namespace, name: targetRef.name }))
    }
  }
  return keys
}
