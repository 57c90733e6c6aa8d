import { type Endpoint, findPort, type Health, type Service } from "@istiod-lite/model"
import { describeExclusion, type Exclusion, type ExclusionReason } from "@istiod-lite/xds-eds"
import type { Candidate } from "./candidates.ts"
import { drop, note, pass, type Stage, type Step } from "./explanation.ts"
import type { Fate } from "./fates.ts"
import { declaringObject, originName, sliceName } from "./object-names.ts"

/** Endpoints belong to service ports by name (S-62). */
export const portStep = ({ group }: Candidate, endpoint: Endpoint, service: Service): Step => {
  const name = endpoint.servicePortName
  const port = service.ports.find((one) => one.name === name)
  if (port !== undefined)
    return pass("port name", `${JSON.stringify(name)}: ${port.number} → ${endpoint.port}`)
  const names = service.ports.map((one) => one.name)
  const [wanted = ""] = names
  const { rule, text } = describeExclusion({ endpoint, reason: { _tag: "OtherPort", wanted, actual: name } })
  const lister = sliceName(group) ?? originName(endpoint)
  return drop(
    "port name",
    rule,
    names.length === 1 ? text : `${text}; its other ports are named ${names.slice(1).join(", ")}`,
    `set ports[].name: ${wanted} in ${lister}, or spec.ports[].name: ${name} in ${declaringObject(service)}`
  )
}

/** Whether the workload takes requests, before any client's filter. */
export const healthStep = ({ group }: Candidate, endpoint: Endpoint): Step => {
  const object = originName(endpoint)
  const slice = sliceName(group)
  const remedy =
    endpoint.origin.kind === "Address"
      ? `set endpoints[].conditions.ready: true for the address in ${object}`
      : `make ${object} ready${slice === undefined ? "" : `; conditions.ready of ${slice} follows it`}`
  const stepOf: Readonly<Record<Health, Step>> = {
    HEALTHY: pass("health", "ready"),
    UNKNOWN: pass("health", "machines count as usable"),
    DRAINING: note("health", "draining: kept for the sessions that it has"),
    TERMINATING: drop("health", "S-14", "terminating", `wait for the replacement of ${object}`),
    UNHEALTHY: drop("health", "S-14", "not ready", remedy)
  }
  return stepOf[endpoint.health]
}

/** Where the endpoint is. */
export const networkStep = ({ cluster, network }: Endpoint, fate: Fate | undefined): Step => {
  const where = `${network === "" ? "no network" : `network ${network}`}, cluster ${cluster || "unknown"}`
  if (fate?._tag !== "BehindGateways") return pass("network", where)
  const gateways = fate.gateways.map(({ address, port }) => `${address}:${port}`).join(", ")
  return pass("network", `${where}: reached through gateway ${gateways}`)
}

const stageOf: Readonly<Record<ExclusionReason["_tag"], Stage>> = {
  OtherPort: "port name",
  NotAnIp: "workload",
  OtherSubset: "client",
  OtherNode: "client",
  NetworkNotRequested: "network",
  OtherCluster: "client",
  NoAddress: "network",
  Unhealthy: "health",
  Terminating: "health",
  Draining: "health",
  NoGatewayOfFamily: "network",
  NotMutualTls: "network",
  AddressTaken: "client",
  NoShare: "client"
}

/** What became of the endpoint in one cluster, in the words of the filter that decided. */
export const fateStep = (cluster: string, fate: Fate): Step => {
  if (fate._tag === "Excluded") {
    const twice = toldTwice(fate.exclusion)
    if (twice !== undefined) return twice
    const { remedy, rule, text } = describeExclusion(fate.exclusion)
    return drop(stageOf[fate.exclusion.reason._tag], rule, text, remedy)
  }
  if (fate._tag === "BehindGateways") return pass("client", `${cluster}: in the gateways' share`)
  const { as, priority } = fate
  return pass("client", `${cluster}: ${as.health}, priority ${priority}, weight ${as.weight}`)
}

/** One workload that two definitions of a host tell has lost to nobody but itself (D-17). */
const toldTwice = ({ endpoint, reason }: Exclusion): Step | undefined => {
  if (reason._tag !== "AddressTaken" || originName(reason.winner) !== originName(endpoint)) return undefined
  return drop(
    "client",
    "D-17",
    `${originName(endpoint)} is told more than once for the host; ${reason.address} is sent once`,
    `nothing is lost; to have it told once, let only one ServiceEntry of the host list or select it`
  )
}

/** Names of the ports of a service that an endpoint serves. */
export const portNumbers = (service: Service, { servicePortName }: Endpoint): ReadonlySet<number> =>
  new Set(service.ports.filter(({ name }) => name === servicePortName).map(({ number }) => number))

/** Whether a service, as a client sees it, lacks the port that the endpoint serves. */
export const lacksPort = (seen: Service, declared: Service, endpoint: Endpoint): boolean =>
  [...portNumbers(declared, endpoint)].every((number) => findPort(seen, number) === undefined)
