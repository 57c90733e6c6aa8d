import { isIp } from "../addresses.ts"
import type { ServiceImport } from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import type { Fields } from "./fields.ts"

/** Addresses that are none are left out with a warning, as Istio leaves them out: the others work. */
export const decodeServiceImport = (root: Fields, meta: ObjectMeta): ServiceImport => {
  const spec = root.at("spec")
  const ips = spec.texts("ips")
  ips.forEach((ip, i) => {
    if (!isIp(ip)) spec.warn(`ips[${i}]`, "expected an IP address", "write an IPv4 or IPv6 address")
  })
  return { meta, ips: ips.filter(isIp).toSorted() }
}
