import type { ObjectMeta } from "@istiod-lite/model"
import type { Candidate } from "./candidates.ts"
import type { Located } from "./named-objects.ts"
import { objectName } from "./object-names.ts"

/** Whether an object of a cluster is one that candidates were made of. */
export type IsTold = (kind: string, object: Located<{ readonly meta: ObjectMeta }>) => boolean

export const makeIsTold = (candidates: ReadonlyArray<Candidate>): IsTold => {
  const told = new Set(candidates.flatMap(objectsOf))
  return (kind, { cluster, object: { meta } }) => told.has(`${cluster}|${objectName(kind, meta)}`)
}

/** The objects that a candidate was made of, with their cluster. */
const objectsOf = ({ group, told }: Candidate): ReadonlyArray<string> => {
  const cluster = group.shard.slice(group.shard.indexOf("/") + 1)
  const workload =
    "held" in told ? told.held.object : objectName(told.endpoint.origin.kind, told.endpoint.origin)
  // A pod that a ServiceEntry selects belongs to its own cluster, not to that of the entry.
  const home = "endpoint" in told ? told.endpoint.cluster || cluster : cluster
  return [
    `${home}|${workload}`,
    ...(group.slice === undefined
      ? []
      : [`${cluster}|${objectName("EndpointSlice", { name: group.slice.name, namespace: group.namespace })}`])
  ]
}
