const spiffe = /^spiffe:\/\/[^/]+\/ns\/([^/]+)\/sa\/([^/]+)$/

/**
 * The identities that a client accepts for a service (S-45): the service's own and its endpoints', each SPIFFE one
 * also in every alias of the trust domain. Sorted, each once.
 *
 * Source: istio pkg/spiffe/spiffe.go (ExpandWithTrustDomains).
 */
export const acceptedAccounts = (
  own: ReadonlyArray<string>,
  ofEndpoints: ReadonlyArray<string>,
  trustDomainAliases: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const accepted = new Set<string>()
  for (const account of [...own, ...ofEndpoints]) {
    accepted.add(account)
    const [, namespace, serviceAccount] = spiffe.exec(account) ?? []
    if (namespace === undefined || serviceAccount === undefined) continue
    for (const domain of trustDomainAliases) {
      accepted.add(`spiffe://${domain}/ns/${namespace}/sa/${serviceAccount}`)
    }
  }
  return [...accepted].toSorted()
}
