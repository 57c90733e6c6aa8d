import type { Change } from "@istiod-lite/collections"
import { type DestinationRule, isWildcard, keyOfService, resolveShortName } from "@istiod-lite/model"
import type { PlanContext } from "./plan-context.ts"

/** What rules bear on: the services of their hosts, or, with a wildcard, perhaps any. */
export interface RuleHosts {
  readonly services: ReadonlyArray<string>
  /** how many changes were of rules for a wildcard host */
  readonly wildcards: number
}

/** What changed rules bear on, before and after. A rule for a host that has no service bears on nothing. */
export const hostsOfRules = (
  changes: ReadonlyArray<Change<DestinationRule>>,
  { domainSuffix, servicesOfHost }: PlanContext
): RuleHosts => {
  const hosts = changes.flatMap(({ now, old }) =>
    [old, now].flatMap((rule) =>
      rule === undefined ? [] : [resolveShortName(rule.host, rule.meta.namespace, domainSuffix)]
    )
  )
  const named = new Set(hosts.filter((host) => !isWildcard(host)))
  return {
    services: [...new Set([...named].flatMap((host) => servicesOfHost(host).map(keyOfService)))],
    wildcards: hosts.filter(isWildcard).length
  }
}
