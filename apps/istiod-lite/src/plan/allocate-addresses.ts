import {
  compareText,
  isIpv6,
  objectKey,
  parseAddress,
  formatAddress,
  type ServiceEntry
} from "@istiod-lite/model"
import { type AllocatorState, StatusAllocator } from "@istiod-lite/registry-serviceentry"
import { type InputChanges, noInputChanges, type StatusAddresses } from "../compose/inputs.ts"

/**
 * What an allocator would write into the statuses of ServiceEntries after a change. Which address a new host gets is a
 * guess, since the allocator also remembers the addresses of entries that are gone; who keeps and who loses one is not.
 */
export const allocateAddresses = (
  statuses: ReadonlyMap<string, StatusAddresses>,
  before: Iterable<ServiceEntry>,
  now: Iterable<ServiceEntry>
): InputChanges => {
  const allocator = new StatusAllocator(undefined, stateOf(statuses))
  const entries = [...now].toSorted((a, b) => compareText(objectKey(a.meta), objectKey(b.meta)))
  const keys = new Set(entries.map(({ meta }) => objectKey(meta)))
  allocator.warm(before)
  for (const key of statuses.keys()) if (!keys.has(key)) allocator.remove(key)
  for (const entry of entries) allocator.update(entry)
  const after = allocator.statuses
  return {
    ...noInputChanges,
    statuses: [...new Set([...statuses.keys(), ...after.keys()])].map((key) => [key, after.get(key)])
  }
}

const stateOf = (statuses: ReadonlyMap<string, StatusAddresses>): AllocatorState => {
  const used = [...statuses].flatMap(([key, addresses]) =>
    addresses.map(({ value }) => [value, key] as const)
  )
  const ipv6 = used.filter(([address]) => isIpv6(address))
  const ipv4 = used.filter(([address]) => !isIpv6(address))
  return {
    ipv4: { next: nextOf(ipv4, "IPv4"), used: Object.fromEntries(ipv4) },
    ipv6: { next: nextOf(ipv6, "IPv6"), used: Object.fromEntries(ipv6) },
    statuses: Object.fromEntries(statuses)
  }
}

/** After the highest one that is used; without any, empty, which is none. */
const nextOf = (used: ReadonlyArray<readonly [string, string]>, family: "IPv4" | "IPv6"): string => {
  const highest = used.reduce((most, [address]) => {
    const number = parseAddress(address)
    return number > most ? number : most
  }, 0n)
  return highest === 0n ? "" : formatAddress(highest + 1n, family)
}
