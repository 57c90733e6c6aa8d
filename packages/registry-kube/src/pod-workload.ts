import { type MeshConfigValue, type WorkloadInstance } from "@istiod-lite/model"
import type { PodFacts } from "./pod-facts.ts"

/** Container ports by name: TCP only, the first of a name wins (S-18). */
const portMap = (ports: PodFacts["ports"]): Readonly<Record<string, number>> => {
  const map: Record<string, number> = {}
  for (const { containerPort, name, protocol } of ports) {
    if (name !== "" && protocol === "TCP" && map[name] === undefined) map[name] = containerPort
  }
  return map
}

/** A pod as ServiceEntries select it (S-18): healthy, with all its IPs only when dual stack is on. */
export const podWorkload = (pod: PodFacts, mesh: MeshConfigValue): WorkloadInstance => {
  const { creationTime, facts, name, namespace } = pod
  return {
    kind: "Pod",
    name,
    namespace,
    cluster: facts.cluster,
    facts: { ...facts, addresses: mesh.dualStack ? pod.ips : pod.ips.slice(0, 1) },
    health: "HEALTHY",
    sendUnhealthy: mesh.sendUnhealthyEndpoints,
    discoverability: "AlwaysDiscoverable",
    ports: portMap(pod.ports),
    addressKind: "ip",
    origin: { kind: "Pod", name, namespace, creationTime }
  }
}
