import { compareText } from "@istiod-lite/model"
import { type Candidate, findCandidates } from "./candidates.ts"
import type { Client } from "./clients.ts"
import { explainCandidate } from "./endpoint-chain.ts"
import type { ExplainContext } from "./explain-context.ts"
import type { Explanation } from "./explanation.ts"
import { findObjects, type Located, type NamedObjects } from "./named-objects.ts"
import { objectName } from "./object-names.ts"
import { explainSlice } from "./slice-absence.ts"
import { type Subject, sameAddress } from "./subject.ts"
import { explainPod, explainWorkloadEntry } from "./workload-absence.ts"

/**
 * Explains everything that a subject is an endpoint of, and what keeps it from being one. Empty if no object knows it.
 *
 * @param client as whom; undefined: as a client beside each endpoint
 */
export const explainEndpoint = (
  context: ExplainContext,
  subject: Subject,
  client: Client | undefined
): ReadonlyArray<Explanation> => {
  const candidates = candidatesOf(context, subject)
  const named = findObjects(context, subject)
  const explained = candidates.map((candidate) => explainCandidate(context, candidate, client))
  const port = subject.kind === "address" ? subject.port : undefined
  // With a port, what has no ports is not what was meant.
  const absent =
    port === undefined || candidates.length === 0 ? absences(context, named, candidates, subject) : []
  return [...explained, ...absent].toSorted(
    (a, b) => compareText(a.service ?? "~", b.service ?? "~") || compareText(a.address, b.address)
  )
}

const candidatesOf = (context: ExplainContext, subject: Subject): ReadonlyArray<Candidate> => {
  if (subject.kind === "address") {
    const { address, port } = subject
    return findCandidates(context, {
      endpoint: ({ addresses, port: own }) =>
        addresses.some((one) => sameAddress(one, address)) && (port === undefined || port === own),
      held: (held) => sameAddress(held.address, address)
    })
  }
  const { name, namespace } = subject
  const isMeant = (text: string): boolean =>
    namespace === undefined ? text.endsWith(`/${name}`) : text.endsWith(` ${namespace}/${name}`)
  return findCandidates(context, {
    endpoint: ({ origin }) =>
      (origin.kind === "Pod" || origin.kind === "WorkloadEntry") && isMeant(objectName(origin.kind, origin)),
    held: ({ object }) => isMeant(object)
  })
}

/** What is known of the subject and is no endpoint. */
const absences = (
  context: ExplainContext,
  { pods, slices, workloadEntries }: NamedObjects,
  candidates: ReadonlyArray<Candidate>,
  subject: Subject
): ReadonlyArray<Explanation> => {
  const told = new Set(candidates.flatMap(objectsOf))
  const ofSlices = slices
    .filter(({ cluster, object }) => !told.has(`${cluster}|${objectName("EndpointSlice", object.meta)}`))
    .map((slice) => explainSlice(context, slice, subject.kind === "address" ? subject.address : ""))
  const isListed = ({
    cluster,
    object
  }: Located<{ readonly meta: { readonly name: string; readonly namespace: string } }>) =>
    told.has(`${cluster}|${objectName("Pod", object.meta)}`) || ofSlices.length > 0
  return [
    ...ofSlices,
    ...pods.filter((pod) => !isListed(pod)).map((pod) => explainPod(context, pod)),
    ...workloadEntries
      .filter(
        ({ meta }) => !told.has(`${context.objects.configCluster}|${objectName("WorkloadEntry", meta)}`)
      )
      .map((entry) => explainWorkloadEntry(context, entry))
  ]
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
