import type { EndpointSlice, ObjectMeta, Pod, WorkloadEntry } from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"
import { type Subject, sameAddress } from "./subject.ts"

/** An object of one cluster. */
export interface Located<O> {
  readonly cluster: string
  readonly object: O
}

/** The objects that a subject names, or that name it. */
export interface NamedObjects {
  readonly pods: ReadonlyArray<Located<Pod>>
  readonly slices: ReadonlyArray<Located<EndpointSlice>>
  readonly workloadEntries: ReadonlyArray<WorkloadEntry>
}

/** Walks over the objects once: questions are rare, an index of addresses would cost at every change. */
export const findObjects = ({ objects }: Pick<ExplainSources, "objects">, subject: Subject): NamedObjects => {
  const isNamed = ({ name, namespace }: Pick<ObjectMeta, "name" | "namespace">): boolean =>
    subject.kind === "workload" &&
    name === subject.name &&
    (subject.namespace === undefined || namespace === subject.namespace)
  const isAt = (addresses: ReadonlyArray<string>): boolean =>
    subject.kind === "address" && addresses.some((address) => sameAddress(address, subject.address))
  const clusters = [...objects.clusters.values()]
  return {
    pods: clusters.flatMap(({ cluster, objects: { Pod } }) =>
      [...Pod.values()]
        .filter((pod) => isNamed(pod.meta) || isAt(pod.ips))
        .map((object) => ({ cluster, object }))
    ),
    slices: clusters.flatMap(({ cluster, objects: { EndpointSlice } }) =>
      [...EndpointSlice.values()]
        .filter(({ endpoints, meta }) =>
          endpoints.some(
            ({ addresses, targetRef }) =>
              isAt(addresses) ||
              (targetRef !== undefined &&
                isNamed({ name: targetRef.name, namespace: targetRef.namespace || meta.namespace }))
          )
        )
        .map((object) => ({ cluster, object }))
    ),
    workloadEntries: [...objects.config.WorkloadEntry.values()].filter(
      ({ meta, spec }) => isNamed(meta) || isAt([spec.address])
    )
  }
}
