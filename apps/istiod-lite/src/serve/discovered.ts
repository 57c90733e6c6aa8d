import {
  compareText,
  type Endpoint,
  isHeadless,
  keyOfService,
  type Service,
  unspecifiedAddress
} from "@istiod-lite/model"
import { shownHealth } from "../tables/shown-health.ts"
import { counted, table } from "../tables/table.ts"

/** What is shown of the mesh when serving begins. */
export interface Discovered {
  readonly services: ReadonlyArray<Service>
  readonly endpointsOf: (key: string) => ReadonlyArray<Endpoint>
  readonly pods: number
  readonly machines: number
  readonly clusters: number
}

/** Large meshes have `istiod-lite services`. */
const mostRows = 40

/** A table of the services with their endpoints by health, and a line that sums up. */
export const discoveredText = ({ clusters, endpointsOf, machines, pods, services }: Discovered): string => {
  const sorted = services.toSorted((a, b) => compareText(a.hostname, b.hostname))
  const rows = sorted.slice(0, mostRows).map((service) => {
    const endpoints = oncePerWorkload(service, endpointsOf(keyOfService(service)))
    return [
      service.hostname,
      portsText(service),
      healthText(service, endpoints),
      machinesText(endpoints),
      addressText(service)
    ]
  })
  const more = sorted.length > mostRows ? `\n… and ${sorted.length - mostRows} more` : ""
  const automatic = sorted.filter(({ autoAllocatedIpv4 }) => autoAllocatedIpv4 !== "").length
  const summary = [
    counted(services.length, "service"),
    counted(pods, "pod"),
    counted(machines, "VM"),
    counted(automatic, "automatic address", "automatic addresses"),
    counted(clusters, "cluster")
  ]
  return `${table(["SERVICE", "PORTS", "ENDPOINTS", "VMS", "ADDRESS"], rows)}${more}\n\n${summary.join(", ")}`
}

/** A workload with two ports is one endpoint to a person: the first port's. */
const oncePerWorkload = ({ ports }: Service, endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Endpoint> => {
  const port = ports[0]?.name
  return endpoints.filter(({ servicePortName }) => servicePortName === port)
}

const portsText = ({ ports }: Service): string => ports.map(({ number }) => number).join(", ")

/** `2 healthy, 1 draining` */
const healthText = ({ resolution }: Service, endpoints: ReadonlyArray<Endpoint>): string => {
  if (resolution.startsWith("dns") || resolution === "dynamicDNS") return "by DNS"
  const counts = Map.groupBy(endpoints, (endpoint) => {
    const health = shownHealth(endpoint)
    return health === "UNKNOWN" ? "healthy" : health.toLowerCase()
  })
  const order = ["healthy", "unhealthy", "draining", "terminating"]
  const told = order.flatMap((health) => {
    const count = counts.get(health)?.length ?? 0
    return count === 0 ? [] : [`${count} ${health}`]
  })
  return told.length === 0 ? "none" : told.join(", ")
}

const machinesText = (endpoints: ReadonlyArray<Endpoint>): string => {
  const count = endpoints.filter(({ origin }) => origin.kind === "WorkloadEntry").length
  return count === 0 ? "" : String(count)
}

const addressText = (service: Service): string => {
  const vip = Object.values(service.clusterVips).flat()[0] ?? service.defaultAddress
  if (isHeadless(service)) return "headless"
  if (vip !== unspecifiedAddress) return vip
  return service.autoAllocatedIpv4 === "" ? "none" : `${service.autoAllocatedIpv4} (automatic)`
}
