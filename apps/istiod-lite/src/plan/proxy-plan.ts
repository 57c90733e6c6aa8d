import { compareText, type XdsResource } from "@istiod-lite/model"
import { fieldChanges, isUnchanged, listChanges } from "./list-changes.ts"
import type { ClusterPlan, ProxyPlan } from "./plan-answer.ts"
import { endpointsOfAssignment, type ProxyView, type SentEndpoint } from "./proxy-view.ts"

/** What becomes of one proxy's view; undefined if it sees no difference. */
export const proxyPlan = (proxy: string, before: ProxyView, now: ProxyView): ProxyPlan | undefined => {
  const names = new Set([...before.assignments.keys(), ...now.assignments.keys()])
  const clusters = [...names]
    .toSorted(compareText)
    .flatMap((name) => clusterPlan(name, before.assignments.get(name), now.assignments.get(name)))
  const serves = listChanges(keyed(before.targets), keyed(now.targets), {
    name: (target) => target,
    difference: () => ""
  })
  return clusters.length === 0 && isUnchanged(serves) ? undefined : { proxy, serves, clusters }
}

const keyed = (texts: ReadonlySet<string>): ReadonlyMap<string, string> =>
  new Map([...texts].map((text) => [text, text]))

const clusterPlan = (
  cluster: string,
  before: XdsResource | undefined,
  now: XdsResource | undefined
): ReadonlyArray<ClusterPlan> => {
  if (before?.version === now?.version) return []
  const old = endpointsOfAssignment(before)
  const fresh = endpointsOfAssignment(now)
  return [
    {
      cluster,
      became: before === undefined ? "added" : now === undefined ? "removed" : "changed",
      sent: [old.size, fresh.size],
      endpoints: listChanges(old, fresh, { name: ({ address }) => address, difference })
    }
  ]
}

const difference = (before: SentEndpoint, now: SentEndpoint): string =>
  fieldChanges(before, now, ["health", "weight", "priority", "locality"])
