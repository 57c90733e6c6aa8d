import type { Proxy } from "@istiod-lite/model"
import { type ClientView, hostnameOf } from "./client-view.ts"

/** One thing that is different for a client. */
export interface ClientChange {
  readonly proxy: Proxy
  /** its endpoints of a cluster; a service that it calls; the services that it serves; its own labels and place */
  readonly of: "assignment" | "service" | "targets" | "self"
  /** the cluster's name, the service's hostname, or the client's id */
  readonly name: string
  /** the services that it is about: to look at one of them is to look at it */
  readonly hostnames: ReadonlyArray<string>
}

/** What differs for a client. A cluster that it did not know before is a matter of the service. */
export const clientChanges = (before: ClientView, now: ClientView): ReadonlyArray<ClientChange> => {
  const { proxy } = now
  const assignments = [...before.assignments.values()].filter(
    ({ name, version }) => now.assignments.get(name)?.version !== version
  )
  const targets = differing(before.targets, now.targets)
  return [
    ...assignments.map(
      ({ name }) => ({ proxy, of: "assignment", name, hostnames: [hostnameOf(name)] }) as const
    ),
    ...differing(before.services, now.services).map(
      (hostname) => ({ proxy, of: "service", name: hostname, hostnames: [hostname] }) as const
    ),
    ...(targets.length === 0 ? [] : [{ proxy, of: "targets", name: proxy.id, hostnames: targets } as const]),
    ...(before.self === now.self ? [] : [{ proxy, of: "self", name: proxy.id, hostnames: [] } as const])
  ]
}

/** The keys under which two maps differ. */
const differing = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key))
