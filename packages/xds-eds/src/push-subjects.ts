import { parseClusterName } from "@istiod-lite/mesh-policy"
import { parseServiceKey, type PushRequest, type PushScope } from "@istiod-lite/model"

/** Services by hostname: whose definition or whose endpoints changed. */
export const scopeOf = ({ endpoints, full, services }: PushRequest): PushScope =>
  full ? "all" : hostnamesOf([...services, ...endpoints])

/** Services by hostname: that lost endpoints. */
export const removalsOf = ({ removals }: PushRequest): ReadonlySet<string> => hostnamesOf(removals ?? [])

/** The hostname of a cluster's name; of other names, these. */
export const hostOf = (name: string): string => parseClusterName(name)?.hostname ?? name

const hostnamesOf = (keys: Iterable<string>): ReadonlySet<string> =>
  new Set(Array.from(keys, (key) => parseServiceKey(key).hostname))
