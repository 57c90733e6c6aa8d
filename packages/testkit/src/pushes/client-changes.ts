import { type ClientView, hostnameOf } from "./client-view.ts"
import type { Proxy } from "@istiod-lite/model"

/** One thing that is different for a client. */
export interface ClientChange {
  readonly proxy: Proxy
  /** its endpoints of a cluster; a service that it calls; a service that it serves; its own labels and place */
  readonly of: "assignment" | "service" | "target" | "self"
  /** a cluster's name or a hostname */
  readonly name: string
  readonly hostname: string
}

/** What differs for a client. A cluster that it did not know before is a matter of the service. */
export const clientChanges = (before: ClientView, now: ClientView): ReadonlyArray<ClientChange> => {
  const { proxy } = now
  const assignments = [...before.assignments.values()].filter(
    ({ name, version }) => now.assignments.get(name)?.version !== version
  )
  const self: ClientChange = { proxy, of: "self", name: proxy.id, hostname: "" }
  return [
    ...assignments.map(
      ({ name }) => ({ proxy, of: "assignment", name, hostname: hostnameOf(name) }) as const
    ),
    ...differing(before.services, now.services).map(
      (hostname) => ({ proxy, of: "service", name: hostname, hostname }) as const
    ),
    ...differing(before.targets, now.targets).map(
      (hostname) => ({ proxy, of: "target", name: hostname, hostname }) as const
    ),
    ...(before.self === now.self ? [] : [self])
  ]
}

/** The keys under which two maps differ. */
const differing = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key))
