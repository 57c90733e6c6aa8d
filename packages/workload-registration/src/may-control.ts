import { parseSpiffeUri } from "@istiod-lite/model"

/** What a WorkloadEntry, or the one that would be made, demands of who controls it. */
export interface EntryOwner {
  readonly namespace: string
  /** empty: any of the namespace */
  readonly serviceAccount: string
}

/**
 * Why a connection may not register for an entry, or report its health; undefined if it may: it has to prove an identity
 * of the entry's namespace, and of its service account if it names one (case 54).
 *
 * @param identities SPIFFE ids that the connection proves
 */
export const refusalOf = (
  identities: ReadonlyArray<string>,
  { namespace, serviceAccount }: EntryOwner
): string | undefined => {
  const proven = identities.flatMap((id) => parseSpiffeUri(id) ?? [])
  if (proven.length === 0) {
    return (
      "registration needs an identity that the connection proves: a client certificate or a token of service account " +
      `${serviceAccount || "(any)"} in namespace ${namespace}`
    )
  }
  const shown = proven.map((it) => `${it.namespace}/${it.serviceAccount}`).join(", ")
  const ofNamespace = proven.filter((it) => it.namespace === namespace)
  if (ofNamespace.length === 0) return `its identity ${shown} is not of namespace ${namespace}`
  if (serviceAccount !== "" && !ofNamespace.some((it) => it.serviceAccount === serviceAccount)) {
    return `its identity ${shown} is not service account ${serviceAccount}, which the entry demands`
  }
  return undefined
}
