import { type ProxyConnection, type WorkloadEntry } from "@istiod-lite/model"
import {
  connectedAtAnnotation,
  controllerAnnotation,
  disconnectedAtAnnotation,
  drainingLabel,
  expiresAnnotation,
  groupAnnotation,
  healthChecksAnnotation,
  probeAnnotation
} from "./annotations.ts"

/** One machine, as `istiod-lite vm list` shows it. Times are RFC 3339; what there is nothing to say of is left out. */
export interface Machine {
  readonly namespace: string
  readonly name: string
  readonly address: string
  /** `group NAME`: it registered itself; `hand`: somebody wrote its entry */
  readonly registeredBy: string
  /** the replica it is connected to, or was last */
  readonly replica?: string
  readonly connection: "connected" | "disconnected" | "never connected"
  /** when it connected, or went away */
  readonly since?: string
  /** the address of its stream, if it is connected to the replica that answers */
  readonly peer?: string
  /** what the connection proves it to be */
  readonly identity?: string
  readonly health: "healthy" | "unhealthy" | "not known yet" | "not checked"
  /** who checks its health */
  readonly checkedBy?: "proxy" | "probe"
  readonly draining?: true
  /** when its lease ends */
  readonly expires?: string
}

/** A machine that was not taken. */
export interface RefusedMachine {
  /** RFC 3339, of the last time */
  readonly at: string
  /** how often in a row */
  readonly times: number
  readonly node: string
  readonly peer: string
  readonly reason: string
}

/** A machine as its entry tells, and as it is connected here. */
export const machineOf = (entry: WorkloadEntry, connections: ReadonlyArray<ProxyConnection>): Machine => {
  const { annotations, labels, name, namespace } = entry.meta
  const connection = connections.at(-1)
  const connectedAt = annotations[connectedAtAnnotation]
  const disconnectedAt = annotations[disconnectedAtAnnotation]
  const group = annotations[groupAnnotation]
  const since = connectedAt ?? disconnectedAt
  const isProbed = annotations[probeAnnotation] !== undefined
  const isChecked = isProbed || annotations[healthChecksAnnotation] !== undefined
  return {
    namespace,
    name,
    address: entry.spec.address,
    registeredBy: group === undefined ? "hand" : `group ${group}`,
    ...defined("replica", annotations[controllerAnnotation]),
    connection:
      connectedAt !== undefined
        ? "connected"
        : disconnectedAt === undefined
          ? "never connected"
          : "disconnected",
    ...defined("since", since),
    ...defined("peer", connection?.peer.address),
    ...defined("identity", connection?.identities[0]),
    health: isChecked ? healthText(entry.healthy) : "not checked",
    ...(isChecked ? { checkedBy: isProbed ? "probe" : "proxy" } : {}),
    ...(labels[drainingLabel] || entry.spec.labels[drainingLabel] ? { draining: true } : {}),
    ...defined("expires", annotations[expiresAnnotation])
  }
}

const healthText = (healthy: boolean | undefined): Machine["health"] =>
  healthy === undefined ? "not known yet" : healthy ? "healthy" : "unhealthy"

const defined = <K extends string>(name: K, value: string | undefined): { readonly [P in K]?: string } => {
  const none: { readonly [P in K]?: string } = {}
  return value === undefined ? none : { ...none, [name]: value }
}

/** The refusals of late, newest first; a proxy that tries again and again is one of them. */
export class Refusals {
  readonly #most: number
  readonly #byNode = new Map<string, RefusedMachine>()

  constructor(most = 100) {
    this.#most = most
  }

  note(refusal: Omit<RefusedMachine, "times">): void {
    const key = `${refusal.node}\n${refusal.reason}`
    const before = this.#byNode.get(key)
    this.#byNode.delete(key)
    this.#byNode.set(key, { ...refusal, times: (before?.times ?? 0) + 1 })
    const [oldest] = this.#byNode.keys()
    if (this.#byNode.size > this.#most && oldest !== undefined) this.#byNode.delete(oldest)
  }

  /** A machine that was taken in the end is not refused any more. */
  forget(node: string): void {
    for (const key of this.#byNode.keys()) if (key.startsWith(`${node}\n`)) this.#byNode.delete(key)
  }

  get all(): ReadonlyArray<RefusedMachine> {
    return [...this.#byNode.values()].toReversed()
  }
}
