import { equalLabels, type Service, type ServicePort } from "@istiod-lite/model"
import { memoPair, memoVariant } from "./identity-memo.ts"

const samePorts = (a: ReadonlyArray<ServicePort>, b: ReadonlyArray<ServicePort>): boolean =>
  a.length === b.length &&
  a.every((port, i) => {
    const other = b[i]
    return port.number === other?.number && port.name === other.name && port.protocol === other.protocol
  })

const sameMembers = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.every((member) => b.includes(member)) && b.every((member) => a.includes(member))

const mayMerge = (a: Service, b: Service): boolean =>
  a.namespace === b.namespace &&
  a.resolution === b.resolution &&
  equalLabels(a.labels, b.labels) &&
  equalLabels(a.labelSelectors, b.labelSelectors) &&
  sameMembers(a.exportTo, b.exportTo)

const withPortsOf = memoPair((first: Service, later: Service): Service => {
  const added = later.ports.filter(({ number }) => !first.ports.some((port) => port.number === number))
  return added.length === 0 ? first : { ...first, ports: [...first.ports, ...added] }
})

/**
 * What a client sees of a host that two definitions claim (S-46, S-47): a Kubernetes service replaces another
 * registry's; else the first one stays, and a later definition of the same namespace that differs in nothing but
 * ports adds those with new numbers. The parts of one service that two egress listeners import unite the same way.
 *
 * Source: istio pilot/pkg/model/sidecar.go (appendSidecarServices, canMergeServices).
 */
export const mergeServices = (first: Service, later: Service): Service => {
  if (first === later) return first
  if ((first.provider === "Kubernetes") !== (later.provider === "Kubernetes")) {
    return first.provider === "Kubernetes" ? first : later
  }
  if (samePorts(first.ports, later.ports) || first.provider !== later.provider || !mayMerge(first, later)) {
    return first
  }
  return withPortsOf(first, later)
}

const withOnly = memoVariant((service: Service, numbers: string): Service => {
  const kept = new Set(numbers.split(","))
  return { ...service, ports: service.ports.filter(({ number }) => kept.has(String(number))) }
})

/**
 * The service reduced to the ports that are wanted, undefined if it has none of them. The same service and ports
 * give the same value again, so that clients with equal views share what is made of it.
 */
export const withPorts = (service: Service, wanted: ReadonlyArray<number>): Service | undefined => {
  const kept = service.ports.filter(({ number }) => wanted.includes(number))
  if (kept.length === service.ports.length && kept.length > 0) return service
  return kept.length === 0 ? undefined : withOnly(service, kept.map(({ number }) => number).join(","))
}
