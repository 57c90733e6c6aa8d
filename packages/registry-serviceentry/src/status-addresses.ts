import { isIpv4, isIpv6, Label, type ServiceEntry } from "@istiod-lite/model"
import type { AutoAddresses } from "./auto-allocate.ts"

/** Whether an entry takes automatic addresses that an allocator wrote: not without resolution, with addresses, or opted out. */
export const acceptsStatusAddresses = (entry: ServiceEntry): boolean =>
  entry.resolution !== "NONE" &&
  entry.addresses.length === 0 &&
  entry.meta.labels[Label.enableV2AutoAllocation]?.toLowerCase() !== "false"

/** Mode `status` (D-8): what `status.addresses` says for a host; of several of a family, the last. */
export const statusAddresses = (
  entry: ServiceEntry,
  status: ServiceEntry["statusAddresses"],
  hostname: string
): AutoAddresses | undefined => {
  if (!acceptsStatusAddresses(entry)) return undefined
  const values = status.filter(({ host }) => host === hostname).map(({ value }) => value)
  return { ipv4: values.findLast(isIpv4) ?? "", ipv6: values.findLast(isIpv6) ?? "" }
}
