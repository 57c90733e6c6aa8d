import {
  type EndpointGroup,
  equalEndpointGroups,
  parseServiceKey,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { joinEndpoints } from "./join-endpoints.ts"

const accountsOfGroup = new WeakMap<EndpointGroup, ReadonlySet<string>>()

/** The identities of a group's endpoints, the same while it is. */
const accountsIn = (group: EndpointGroup): ReadonlySet<string> => {
  const known = accountsOfGroup.get(group)
  if (known !== undefined) return known
  const accounts = new Set(group.endpoints.map(({ serviceAccount }) => serviceAccount))
  accounts.delete("")
  accountsOfGroup.set(group, accounts)
  return accounts
}

/** The identities of all endpoints, sorted. */
const accountsOf = (groups: ReadonlyArray<EndpointGroup>): ReadonlyArray<string> =>
  [...new Set(groups.flatMap((group) => [...accountsIn(group)]))].toSorted()

/**
 * The endpoints of one service over all its shards. The accepted accounts are the endpoints'; while there are no
 * endpoints, those of `previous` stay, so that scaling 0 → 1 keeps the identity check (S-45): the one memory in
 * the state (D-5).
 */
export const joinServiceEndpoints = (
  key: string,
  groups: ReadonlyArray<EndpointGroup>,
  previous: ServiceEndpoints | undefined
): ServiceEndpoints => {
  const joined = joinEndpoints(groups, previous?.groups)
  const isEmpty = joined.every(({ endpoints }) => endpoints.length === 0)
  return {
    ...parseServiceKey(key),
    groups: joined,
    serviceAccounts: isEmpty ? (previous?.serviceAccounts ?? []) : accountsOf(joined)
  }
}

const equalTexts = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])

/** A slice's version that decides nothing is no change (D-15): compared as far as clients can tell. */
export const equalServiceEndpoints = (a: ServiceEndpoints, b: ServiceEndpoints): boolean =>
  a.groups.length === b.groups.length &&
  equalTexts(a.serviceAccounts, b.serviceAccounts) &&
  a.groups.every((group, i) => {
    const other = b.groups[i]
    return (
      other !== undefined &&
      (group === other || equalEndpointGroups(withoutOrder(group), withoutOrder(other)))
    )
  })

const withoutOrder = ({ endpoints, hostname, namespace, shard }: EndpointGroup): EndpointGroup => ({
  endpoints,
  hostname,
  namespace,
  shard
})
