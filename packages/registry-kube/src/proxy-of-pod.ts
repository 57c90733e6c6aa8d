import type { KnownProxy } from "@istiod-lite/model"
import type { PodFacts } from "./pod-facts.ts"

/** What a pod's own proxy is told by it: its readiness is nobody's business but its services'. */
export const proxyOfPod = ({ facts, ips, labels, name, namespace, ports }: PodFacts): KnownProxy => ({
  name,
  namespace,
  ips,
  labels,
  network: facts.network,
  locality: facts.locality,
  ports
})
