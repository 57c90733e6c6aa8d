import { type EndpointSlice, Label, objectKey, type Pod, type Service } from "@istiod-lite/model"
import { ignoredSlice } from "@istiod-lite/registry-kube"
import type { ExplainSources } from "./explain-sources.ts"
import { isDrop } from "./explanation.ts"
import { isAlike } from "./is-alike.ts"
import type { NearMiss } from "./near-miss.ts"
import { objectName } from "./object-names.ts"
import { isSelectedBy } from "./selectors.ts"
import { explainSlice } from "./slice-absence.ts"
import type { IsTold } from "./told-objects.ts"

/** The slices of a cluster that give no endpoints and were probably meant for a service. */
export interface NearSlices {
  readonly misses: ReadonlyArray<NearMiss>
  /** whether one of them lists a pod, which then needs no explanation of its own */
  readonly lists: (pod: Pod) => boolean
}

/**
 * Slices that lead to the service and give nothing, and slices that lead nowhere, if their names or pods are like the
 * service's, or if the service has no endpoints, so that any may be meant.
 */
export const nearSlices = (
  sources: ExplainSources,
  cluster: string,
  service: Service,
  isTold: IsTold
): NearSlices => {
  const objects = sources.objects.clusters.get(cluster)?.objects
  const { name, namespace } = service
  const own = objects?.Service.get(objectKey({ namespace, name }))
  if (objects === undefined || service.provider !== "Kubernetes" || own === undefined)
    return { misses: [], lists: () => false }

  const slices = [...objects.EndpointSlice.values()].filter(
    (slice) =>
      slice.meta.namespace === namespace &&
      slice.endpoints.length > 0 &&
      // Mirrors of other clusters are passed over on purpose.
      ignoredSlice(slice) !== "MultiClusterService"
  )
  const isEmpty = !slices.some(
    (object) => wantedBy(object) === name && isTold("EndpointSlice", { cluster, object })
  )
  const podsOf = (slice: EndpointSlice): ReadonlyArray<Pod> =>
    slice.endpoints.flatMap(
      ({ targetRef }) =>
        (targetRef?.kind === "Pod" && objects.Pod.get(objectKey({ namespace, name: targetRef.name }))) || []
    )
  const isMeant = (slice: EndpointSlice): boolean => {
    const wanted = wantedBy(slice)
    if (wanted === name) return true
    if (wanted !== undefined && objects.Service.get(objectKey({ namespace, name: wanted })) !== undefined)
      return false
    return (
      isEmpty ||
      isAlike(name, wanted) ||
      slice.meta.name.startsWith(`${name}-`) ||
      podsOf(slice).some(({ meta }) => isSelectedBy({ labels: own.selector }, meta.labels))
    )
  }
  const near = slices.filter((object) => !isTold("EndpointSlice", { cluster, object }) && isMeant(object))
  const listed = new Set(near.flatMap((slice) => podsOf(slice)))
  return {
    misses: near.map((object) => sliceMiss(sources, cluster, object, service)),
    lists: (pod) => listed.has(pod)
  }
}

/** The name of the Service that a slice says it is of. */
const wantedBy = ({ meta }: EndpointSlice): string | undefined => meta.labels[Label.serviceName] || undefined

const sliceMiss = (
  sources: ExplainSources,
  cluster: string,
  slice: EndpointSlice,
  { name: meant, namespace }: Service
): NearMiss => {
  const object = objectName("EndpointSlice", slice.meta)
  const addresses = slice.endpoints.flatMap((endpoint) => endpoint.addresses)
  const causes = explainSlice(sources, { cluster, object: slice }, addresses[0] ?? "").chain.filter(isDrop)
  if (wantedBy(slice) === meant) return { object, addresses, causes }
  // Here it is known which Service is meant.
  const remedy =
    `set label ${Label.serviceName}: ${meant} in metadata.labels of ${object}, ` +
    `if it is of ${objectName("Service", { namespace, name: meant })}`
  return { object, addresses, causes: causes.map((cause) => ({ ...cause, remedy })) }
}
