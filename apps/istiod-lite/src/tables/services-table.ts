import type { ServiceAnswer } from "./answers.ts"
import { withStaleLines } from "./stale-lines.ts"
import { table } from "./table.ts"

/** One line per service: where it is declared, its ports, and the address that clients connect to. */
export const servicesTable = (services: ReadonlyArray<ServiceAnswer>): string => {
  const text = table(
    ["HOSTNAME", "NAMESPACE", "FROM", "PORTS", "ADDRESS"],
    services.map((service) => [
      service.hostname,
      service.namespace ?? "",
      service.registry ?? "",
      service.ports.map(({ number, protocol }) => `${number} ${protocolName(protocol)}`).join(", "),
      addressOf(service)
    ])
  )
  const explained = text.includes(automatic)
    ? `${text}\n\n*: given automatically, for clients that resolve names by Istio`
    : text
  return withStaleLines(
    explained,
    services.flatMap(({ stale = [] }) => stale)
  )
}

const automatic = " *"

/** Istio's word for a port whose protocol the proxy finds out. */
const protocolName = (protocol: string): string => (protocol === "UnsupportedProtocol" ? "auto" : protocol)

const unspecified = "0.0.0.0"

const addressOf = ({
  autoAllocatedIPv4,
  clusterVIPs,
  defaultAddress,
  registry,
  resolution
}: ServiceAnswer): string => {
  const vips = [...new Set(Object.values(clusterVIPs ?? {}).flat())].filter((vip) => vip !== unspecified)
  if (vips.length > 0) return vips.join(", ")
  if (defaultAddress !== undefined && defaultAddress !== unspecified) return defaultAddress
  if (registry === "Kubernetes" && resolution === "passthrough") return "headless"
  return autoAllocatedIPv4 === undefined ? "none" : `${autoAllocatedIPv4}${automatic}`
}
