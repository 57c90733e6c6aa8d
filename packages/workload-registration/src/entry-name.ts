import { createHash } from "node:crypto"

/** The longest name of a Kubernetes object (RFC 1123 subdomain). */
const longest = 253

/**
 * The name of a machine's WorkloadEntry, as Istio's: group, address and network, colons of IPv6 as dashes. A name that
 * would be too long is cut from the front, and characters that are not legal become dashes; unlike Istio's such a name
 * begins with a hash of the whole, so it stays unique, and legal (case 47).
 */
export const entryName = (group: string, address: string, network: string): string => {
  const parts = [group, address.replaceAll(":", "-"), ...(network === "" ? [] : [network])]
  const name = parts.join("-").replace(/-+$/, "")
  const legal = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .replace(/[.-]+$/, "")
  if (legal === name && name.length <= longest) return name
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8)
  return `${hash}-${legal.slice(-(longest - hash.length - 1))}`
}
