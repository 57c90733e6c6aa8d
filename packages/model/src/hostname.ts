/**
 * Host names as services, policies and Sidecars write them: lower case as given, a leading `*` is a wildcard.
 */

/** The hostname of a Kubernetes service: `name.namespace.svc.<domain suffix>` (S-10). */
export const kubeHostname = (name: string, namespace: string, domainSuffix: string): string =>
  `${name}.${namespace}.svc.${domainSuffix}`

/** Whether the host stands for many names. */
export const isWildcard = (host: string): boolean => host.startsWith("*")

/** Whether the pattern `pattern` covers every name that `host` stands for; both may be wildcards. */
export const isSubsetOf = (host: string, pattern: string): boolean => {
  if (!isWildcard(pattern)) return host === pattern
  const suffix = pattern.slice(1)
  return isWildcard(host) ? host.slice(1).endsWith(suffix) : host.endsWith(suffix)
}

/** Whether some name is covered by both; either may be a wildcard. */
export const overlaps = (a: string, b: string): boolean => isSubsetOf(a, b) || isSubsetOf(b, a)

/** Orders the more specific first: plain names before wildcards, longer before shorter, then by text. */
export const compareSpecificity = (a: string, b: string): number => {
  if (isWildcard(a) !== isWildcard(b)) return isWildcard(a) ? 1 : -1
  if (a.length !== b.length) return b.length - a.length
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * A host of a rule, made absolute: a name without a dot is a service of the rule's own namespace
 * (`reviews` in `shop` → `reviews.shop.svc.cluster.local`); anything else stays.
 */
export const resolveShortName = (host: string, namespace: string, domainSuffix: string): string =>
  host.includes(".") || isWildcard(host) || namespace === ""
    ? host
    : kubeHostname(host, namespace, domainSuffix)
