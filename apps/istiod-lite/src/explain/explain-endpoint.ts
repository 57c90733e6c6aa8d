import { compareText, objectKey } from "@istiod-lite/model"
import { type Candidate, findCandidates } from "./candidates.ts"
import type { Client } from "./clients.ts"
import { explainCandidate } from "./endpoint-chain.ts"
import type { ExplainContext } from "./explain-context.ts"
import type { Explanation } from "./explanation.ts"
import { findObjects, type NamedObjects } from "./named-objects.ts"
import { objectName } from "./object-names.ts"
import { objectsBehind } from "./provenance.ts"
import { explainSlice } from "./slice-absence.ts"
import { type Subject, sameAddress } from "./subject.ts"
import { explainPod, explainUnavailable } from "./pod-absence.ts"
import { makeIsTold } from "./told-objects.ts"
import { explainWorkloadEntry } from "./workload-entry-absence.ts"

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
  const explained = candidates.map((candidate) => ({
    ...explainCandidate(context, candidate, client),
    madeFrom: objectsBehind(context.graph, context.registries.endpoints, candidate.key, workloadOf(candidate))
  }))
  const port = subject.kind === "address" ? subject.port : undefined
  // With a port, what has no ports is not what was meant.
  const absent =
    port === undefined || candidates.length === 0 ? absences(context, named, candidates, subject) : []
  return unique([...explained, ...absent]).toSorted(
    (a, b) => compareText(a.service ?? "~", b.service ?? "~") || compareText(a.address, b.address)
  )
}

/** A machine that lacks the named target ports of two service ports lacks them once. */
const unique = (explanations: ReadonlyArray<Explanation>): ReadonlyArray<Explanation> => [
  ...new Map(explanations.map((explanation) => [JSON.stringify(explanation), explanation])).values()
]

/** `namespace/name` */
const workloadOf = ({ told }: Candidate): string =>
  "held" in told ? told.held.object.slice(told.held.object.indexOf(" ") + 1) : objectKey(told.endpoint.origin)

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

/** What is known of the subject and is no endpoint, or not the endpoint that it might be. */
const absences = (
  context: ExplainContext,
  { pods, slices, workloadEntries }: NamedObjects,
  candidates: ReadonlyArray<Candidate>,
  subject: Subject
): ReadonlyArray<Explanation> => {
  const isTold = makeIsTold(candidates)
  const ofSlices = slices
    .filter((slice) => !isTold("EndpointSlice", slice))
    .map((slice) => explainSlice(context, slice, subject.kind === "address" ? subject.address : ""))
  const inConfig = workloadEntries.map((object) => ({ cluster: context.objects.configCluster, object }))
  return [
    ...ofSlices,
    ...pods.flatMap((pod) => {
      const unavailable = explainUnavailable(context, pod)
      const isExplained = ofSlices.length + unavailable.length > 0 || isTold("Pod", pod)
      return isExplained ? unavailable : [explainPod(context, pod)]
    }),
    ...inConfig
      .filter((entry) => !isTold("WorkloadEntry", entry))
      .map(({ object }) => explainWorkloadEntry(context, object))
  ]
}
