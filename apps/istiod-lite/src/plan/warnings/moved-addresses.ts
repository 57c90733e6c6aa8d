import type { Change } from "@istiod-lite/collections"
import { keyOfService, type Service, unspecifiedAddress } from "@istiod-lite/model"
import type { Warning } from "../plan-answer.ts"

/**
 * Services that lose an automatic address and are still there: clients that have resolved their names keep the old one
 * for a while.
 */
export const movedAddresses = (changes: ReadonlyArray<Change<Service>>): ReadonlyArray<Warning> => {
  const before = Map.groupBy(
    changes.flatMap(({ old }) => old ?? []),
    keyOfService
  )
  const after = Map.groupBy(
    changes.flatMap(({ now }) => now ?? []),
    keyOfService
  )
  return [...before].flatMap(([key, services]) => {
    const now = after.get(key) ?? []
    if (now.length === 0) return []
    const kept = new Set(now.flatMap(automatic))
    const lost = [...new Set(services.flatMap(automatic))].filter((address) => !kept.has(address))
    if (lost.length === 0) return []
    const others = [...new Set(now.flatMap(anyAddress))].join(", ") || "none"
    const text = `${key} would move from the automatic address ${lost.join(", ")} to ${others}`
    return [{ kind: "AddressMoved", text }]
  })
}

const automatic = ({ autoAllocatedIpv4, autoAllocatedIpv6 }: Service): ReadonlyArray<string> =>
  [autoAllocatedIpv4, autoAllocatedIpv6].filter((address) => address !== "")

const anyAddress = (service: Service): ReadonlyArray<string> =>
  [service.defaultAddress, ...Object.values(service.clusterVips).flat(), ...automatic(service)].filter(
    (address) => address !== unspecifiedAddress
  )
