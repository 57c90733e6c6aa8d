/**
 * Automatic addresses for services that have none (D-8): from 240.240.0.0/16 and, with the same two octets, from
 * 2001:2::f0f0:0/112. Both ranges are routed nowhere; they only take effect where a proxy captures DNS.
 */
import { compareByAge, isWildcard, keyOfService, type Service, unspecifiedAddress } from "@istiod-lite/model"

/** The automatic addresses of one host; empty where there is none. */
export interface AutoAddresses {
  readonly ipv4: string
  readonly ipv6: string
}

/** Addresses of the range whose last octet is 1 … 254: 256 × 254. */
const slotCount = 65_024

/** The largest prime below the slot count, of the second hash. */
const prime = 65_011

const utf8 = new TextEncoder()

/** FNV-1a, 32 bits, of the UTF-8 bytes. */
export const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

/** Whether a service gets an automatic address at all (S-37). */
export const wantsAutoAddress = (service: Service): boolean =>
  service.defaultAddress === unspecifiedAddress &&
  !isWildcard(service.hostname) &&
  service.resolution !== "passthrough"

/**
 * The first free slot in a key's probing order: double hashing with 32-bit wrap-around (S-37). There must be one.
 * Probes do not reach every slot: when the last ones are out of their reach, where Istio would not end, the lowest
 * free slot is taken.
 */
export const freeSlot = (key: string, isTaken: (slot: number) => boolean): number => {
  const hash = fnv1a(key)
  const first = hash % slotCount
  if (!isTaken(first)) return first
  const step = prime - (hash % prime)
  for (let i = 1; i < slotCount; i++) {
    const slot = ((hash + Math.imul(i, step)) >>> 0) % (slotCount - 1)
    if (!isTaken(slot)) return slot
  }
  let slot = 0
  while (isTaken(slot)) slot++
  return slot
}

/** D-1: the two octets as one 16-bit number, so that no two services share an address. */
const addressesOf = (third: number, fourth: number): AutoAddresses => ({
  ipv4: `240.240.${third}.${fourth}`,
  ipv6: `2001:2::f0f0:${(third * 256 + fourth).toString(16)}`
})

/**
 * Mode `istio-v1`, Istio's allocation bit for bit in IPv4 (S-37): every service takes a slot, then a counter walks
 * all slots, so that an occupied slot before shifts the addresses after it. Order: creation time, host, namespace,
 * object name, address. Services beyond the number of slots get none.
 */
export const allocateIstioV1 = (services: Iterable<Service>): ReadonlyMap<string, AutoAddresses> => {
  const slots = new Map<number, string>()
  for (const service of [...services].filter(wantsAutoAddress).toSorted(compareByAge).slice(0, slotCount)) {
    const key = keyOfService(service)
    slots.set(
      freeSlot(key, (slot) => slots.has(slot)),
      key
    )
  }
  const allocated = new Map<string, AutoAddresses>()
  let extra = 0
  for (const slot of [...slots.keys()].toSorted((a, b) => a - b)) {
    // The counter stands at slot + 1; where its last octet would be 0 it is moved on by one, for good.
    if ((slot + 1 + extra) % 255 === 0) extra++
    const counter = slot + 1 + extra
    const key = slots.get(slot) ?? ""
    if (!allocated.has(key)) allocated.set(key, addressesOf(Math.floor(counter / 255), counter % 255))
  }
  return allocated
}

/**
 * Mode `stable` (D-8): the same range and hash, but a slot is one fixed address and every host takes one slot. A
 * host's address depends only on its own key and on older hosts that hash to the slots it tries.
 */
export const allocateStable = (services: Iterable<Service>): ReadonlyMap<string, AutoAddresses> => {
  const taken = new Set<number>()
  const allocated = new Map<string, AutoAddresses>()
  for (const service of [...services].filter(wantsAutoAddress).toSorted(compareByAge)) {
    const key = keyOfService(service)
    if (allocated.has(key) || taken.size === slotCount) continue
    const slot = freeSlot(key, (candidate) => taken.has(candidate))
    taken.add(slot)
    allocated.set(key, addressesOf(Math.floor(slot / 254), (slot % 254) + 1))
  }
  return allocated
}
