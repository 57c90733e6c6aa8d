import { equalLabels, type Labels } from "./labels.ts"
import type { Pod } from "./objects/kube.ts"

/** What `targets` and `workloadLabels` take from the workload that a proxy runs beside, other than endpoints. */
export interface KnownProxy {
  /** the proxy's, as its node id says them */
  readonly name: string
  readonly namespace: string
  readonly ips: ReadonlyArray<string>
  readonly labels: Labels
  readonly network: string
  readonly locality: string
  readonly ports: Pod["ports"]
}

/** Whether its proxy is told the same by both. */
export const equalKnownProxies = (a: KnownProxy, b: KnownProxy): boolean =>
  a === b ||
  (a.name === b.name &&
    a.namespace === b.namespace &&
    a.network === b.network &&
    a.locality === b.locality &&
    equalLabels(a.labels, b.labels) &&
    (a.ips === b.ips || JSON.stringify(a.ips) === JSON.stringify(b.ips)) &&
    (a.ports === b.ports || JSON.stringify(a.ports) === JSON.stringify(b.ports)))
