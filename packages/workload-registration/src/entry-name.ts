import { createHash } from "node:crypto"

/** The longest name of a Kubernetes object (RFC 1123 subdomain). */
const longest = 253

/**
 * The name of a machine's WorkloadEntry, as Istio's: group, address and network, colons of IPv6 as dashes. A name that
 * would be too long is cut from the front; unlike Istio's the rest begins with a hash of what was cut, so it stays
 * unique, and legal.
 */
export const entryName = (group: string, address: string, network: string): string => {
  const parts = [group, address.replaceAll(":", "-"), ...(network === "" ? [] : [network])]
  const name = parts.join("-").replace(/-+$/, "")
  if (name.length <= longest) return name
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8)
  return `${hash}-${name.slice(name.length - (longest - hash.length - 1))}`
}
