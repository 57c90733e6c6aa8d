import { type MeshConfigValue, type WorkloadInstance } from "@istiod-lite/model"
import type { PodFacts } from "./pod-facts.ts"

const noPorts: Readonly<Record<string, number>> = Object.freeze({})

/** Container ports by name: TCP only, the first of a name wins (S-18). */
const portMap = (ports: PodFacts["ports"]): Readonly<Record<string, number>> => {
  if (ports.length === 0) return noPorts
  const map: Record<string, number> = {}
  for (const { containerPort, name, protocol } of ports) {
    if (name !== "" && protocol === "TCP" && map[name] === undefined) map[name] = containerPort
  }
  return map
}

/** A pod as ServiceEntries select it (S-18): healthy, with all its IPs only when dual stack is on. */
export const podWorkload = (pod: PodFacts, mesh: MeshConfigValue): WorkloadInstance => {
  const { facts, name, namespace, origin } = pod
  return {
    kind: "Pod",
    name,
    namespace,
    cluster: facts.cluster,
    facts: mesh.dualStack || pod.ips.length < 2 ? facts : { ...facts, addresses: pod.ips.slice(0, 1) },
    health: "HEALTHY",
    sendUnhealthy: mesh.sendUnhealthyEndpoints,
    discoverability: "AlwaysDiscoverable",
    ports: portMap(pod.ports),
    addressKind: "ip",
    origin
  }
}
