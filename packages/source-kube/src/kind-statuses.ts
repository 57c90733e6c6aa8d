import type { Kind, KindState, KindStatus } from "@istiod-lite/model"
import type { KubeError } from "./kube-error.ts"
import { type KubeResource, resourceName, resourceOf, resourcePath } from "./kube-resource.ts"

/** How the kinds of one cluster are followed. */
export class KindStatuses {
  readonly #now: () => number
  readonly #statuses: Map<Kind, KindStatus>

  /** @param now epoch milliseconds */
  constructor(kinds: ReadonlyArray<Kind>, now: () => number) {
    this.#now = now
    const since = now()
    this.#statuses = new Map(
      kinds.map((kind) => [kind, { kind, state: "listing", problem: undefined, since }])
    )
  }

  /** Notes a state; gives what there was before if that was another one, or for another reason. */
  note(kind: Kind, state: KindState, problem?: string): KindStatus | undefined {
    const before = this.#statuses.get(kind)
    if (before === undefined || (before.state === state && before.problem === problem)) return undefined
    const since = before.state === state ? before.since : this.#now()
    this.#statuses.set(kind, { kind, state, problem, since })
    return before
  }

  stateOf(kind: Kind): KindState | undefined {
    return this.#statuses.get(kind)?.state
  }

  /** The first kind that is in this state. */
  find(state: KindState): KindStatus | undefined {
    return this.all().find((status) => status.state === state)
  }

  all(): ReadonlyArray<KindStatus> {
    return [...this.#statuses.values()]
  }
}

/** What a failure means for the kind, and what to do about it. */
export const stateAfter = (
  kind: Kind,
  error: KubeError
): { readonly state: KindState; readonly problem: string } => {
  const resource = resourceOf(kind)
  if (error.status === 403) return { state: "forbidden", problem: forbidden(resource, error) }
  // Every API server has Kubernetes' own kinds: what does not know them is none, or not all of it is up yet.
  return error.status !== 404 || isBuiltIn(resource)
    ? { state: "failing", problem: `${error.message}. ${remedyOf(resource, error)}` }
    : {
        state: "absent",
        problem: `The API server has no ${resourceName(resource)}: install its CRD if it is wanted.`
      }
}

const isBuiltIn = ({ group }: KubeResource): boolean => group === "" || group.endsWith(".k8s.io")

/** What helps whoever sees that a kind cannot be read: most often nothing does but to look at the server's own answer. */
const remedyOf = (resource: KubeResource, { status }: KubeError): string => {
  if (status === 401) return "Renew the credentials."
  const answer = `what \`kubectl get --raw '${resourcePath(resource)}?limit=1'\` says`
  return status === undefined || status < 500 || isBuiltIn(resource)
    ? `See ${answer}.`
    : `See ${answer}, and whether a conversion webhook of the CRD is down.`
}

const forbidden = ({ group, plural }: KubeResource, { message }: KubeError): string =>
  `${message}. Add a rule to the role: apiGroups: ["${group}"], resources: ["${plural}"], verbs: ["list", "watch"].`
