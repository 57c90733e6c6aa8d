import type { ProxyConnection, WorkloadEntry, WorkloadGroup } from "@istiod-lite/model"
import { healthChecksAnnotation, probeAnnotation } from "./annotations.ts"
import { existingEntryOf, type RegistrationRequest, registrationRequestOf } from "./entry-from-group.ts"
import { refusalOf } from "./may-control.ts"

/** The objects that decide about a connection. */
export interface KnownObjects {
  readonly group: (namespace: string, name: string) => WorkloadGroup | undefined
  readonly entry: (namespace: string, name: string) => WorkloadEntry | undefined
}

/**
 * What becomes of a connection. `none`: it is of no machine whose entry is kept here; `follow`: its entry is made, or
 * kept true.
 */
export type Verdict =
  | { readonly verdict: "none" }
  | { readonly verdict: "refuse"; readonly reason: string }
  | {
      readonly verdict: "follow"
      readonly namespace: string
      readonly name: string
      /** undefined: the entry is somebody else's, only its connection and health are kept */
      readonly request: RegistrationRequest | undefined
    }

/** Decides by what a proxy says, what its connection proves and what is there; cases 46 and 54. */
export const judge = ({ identities, proxy }: ProxyConnection, objects: KnownObjects): Verdict => {
  const request = registrationRequestOf(proxy)
  const existing = existingEntryOf(proxy)
  if (request === undefined && existing === undefined) return { verdict: "none" }
  const { namespace } = proxy
  if (namespace === "") return refuse("its node metadata names no namespace")
  return request === undefined
    ? judgeExisting(namespace, existing ?? "", identities, objects)
    : judgeRequest(request, identities, objects)
}

const refuse = (reason: string): Verdict => ({ verdict: "refuse", reason })

const judgeRequest = (
  request: RegistrationRequest,
  identities: ReadonlyArray<string>,
  objects: KnownObjects
): Verdict => {
  const { name, namespace } = request
  if (request.address === "") return refuse("its node metadata names no IP address")
  const entry = objects.entry(namespace, name)
  const group = objects.group(namespace, request.group)
  if (entry === undefined && group === undefined) {
    return refuse(`there is no WorkloadGroup ${namespace}/${request.group}`)
  }
  const serviceAccount = entry?.spec.serviceAccount ?? group?.template.serviceAccount ?? ""
  const reason = refusalOf(identities, { namespace, serviceAccount })
  return reason === undefined ? { verdict: "follow", namespace, name, request } : refuse(reason)
}

const judgeExisting = (
  namespace: string,
  name: string,
  identities: ReadonlyArray<string>,
  objects: KnownObjects
): Verdict => {
  const entry = objects.entry(namespace, name)
  if (entry === undefined) {
    return refuse(`there is no WorkloadEntry ${namespace}/${name}, which it says it stands for`)
  }
  const { annotations } = entry.meta
  const checksHealth =
    annotations[healthChecksAnnotation] !== undefined || annotations[probeAnnotation] !== undefined
  if (!checksHealth) return { verdict: "none" }
  const reason = refusalOf(identities, { namespace, serviceAccount: entry.spec.serviceAccount })
  return reason === undefined ? { verdict: "follow", namespace, name, request: undefined } : refuse(reason)
}
