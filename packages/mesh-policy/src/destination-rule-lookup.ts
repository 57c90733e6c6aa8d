import type { Reader } from "@istiod-lite/collections"
import { compareSpecificity, isSubsetOf, type Service } from "@istiod-lite/model"
import {
  type ExportedRule,
  exportedTo,
  type MergedDestinationRule,
  ruleForWorkload
} from "./destination-rules.ts"
import { hostRulesKey, type PolicyCollections } from "./policy-collections.ts"
import type { ProxyView } from "./proxy-view.ts"

type Pool = "local" | "exported" | "private"

type RuleCollections = Pick<PolicyCollections, "hostRules" | "wildcardRules">

/** The rules of a namespace for the most specific of its hosts that covers a hostname. */
const mostSpecificRules = (
  read: Reader,
  { hostRules, wildcardRules }: RuleCollections,
  namespace: string,
  hostname: string,
  pool: Pool
): ReadonlyArray<ExportedRule> => {
  const exact = read.get(hostRules, hostRulesKey(namespace, hostname))?.[pool] ?? []
  if (exact.length > 0) return exact
  const wildcards = read.lookup(wildcardRules, namespace)
  if (wildcards.length === 0) return []
  const [best] = wildcards
    .map(([, rules]) => rules)
    .filter((rules) => rules[pool].length > 0 && isSubsetOf(hostname, rules.host))
    .toSorted((a, b) => compareSpecificity(a.host, b.host))
  return best?.[pool] ?? []
}

/**
 * The rule that a proxy applies to a service (S-49). Looked for in the proxy's namespace, whatever it exports (in
 * the root namespace only what is private there, lest mesh-wide rules hide those of services), else among what the
 * service's namespace exports to it, else among what the root namespace does. The first that has a host covering the
 * service decides, even if its rule for that host selects other workloads.
 *
 * Source: istio pilot/pkg/model/push_context.go (destinationRule).
 */
export const lookupDestinationRule = (
  read: Reader,
  collections: RuleCollections,
  rootNamespace: string,
  view: Pick<ProxyView, "labels" | "proxy">,
  service: Pick<Service, "hostname" | "namespace">
): MergedDestinationRule | undefined => {
  const { namespace } = view.proxy
  const own = namespace === rootNamespace ? "private" : "local"
  const rules = mostSpecificRules(read, collections, namespace, service.hostname, own)
  if (rules.length > 0) return ruleForWorkload(rules, namespace, view)
  for (const owner of [service.namespace, rootNamespace]) {
    const all = mostSpecificRules(read, collections, owner, service.hostname, "exported")
    const exported = exportedTo(all, namespace)
    if (exported.length > 0) return ruleForWorkload(exported, namespace, view)
  }
  return undefined
}
