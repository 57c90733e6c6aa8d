import type { Service } from "@istiod-lite/model"
import { type ImportedHosts, readEgress } from "./egress-hosts.ts"
import { type Imported, inferredServices, namedServices, type ScopeInputs } from "./imported-services.ts"
import { mergeServices } from "./service-merge.ts"
import { everyone } from "./visibility.ts"

/** The services that the proxies of one namespace, or those that one Sidecar selects there, may call. */
export interface SidecarScope {
  /** one per namespace and Sidecar */
  readonly key: string
  /** of the proxies; with a Sidecar of the root namespace this is not the Sidecar's */
  readonly namespace: string
  /** one per hostname, sorted by hostname, merged as S-47 says and reduced to the ports that are imported */
  readonly services: ReadonlyArray<Service>
  readonly byHostname: ReadonlyMap<string, Service>
  /**
   * Which aliases came along, by the hostname of the service they lead to; all of them where it says nothing. What a
   * listener excludes is not left out of them, as with Istio.
   */
  readonly aliasImports: ReadonlyMap<string, ImportedHosts>
}

/**
 * Computes what a proxy sees (S-46): listener by listener, first the services that its hosts name, then those that
 * the routes it imports send to. What comes first wins a hostname, so an explicit import is never replaced by an
 * inferred one, except that Kubernetes services replace others.
 *
 * Source: istio pilot/pkg/model/sidecar.go (collectImportedServices).
 */
export const computeSidecarScope = (inputs: ScopeInputs): SidecarScope => {
  const chosen = new Map<string, Imported>()
  for (const egress of readEgress(inputs.egress, inputs.namespace)) {
    for (const imported of namedServices(egress, inputs)) add(chosen, imported)
    for (const service of inferredServices(egress, inputs)) add(chosen, { service, by: undefined })
  }
  const hostnames = [...chosen.keys()].toSorted()
  const imported = hostnames.flatMap((hostname) => chosen.get(hostname) ?? [])
  const services = imported.map(({ service }) => service)
  return {
    key: inputs.key,
    namespace: inputs.namespace,
    services,
    byHostname: new Map(services.map((service) => [service.hostname, service])),
    aliasImports: new Map(
      imported.flatMap(({ by, service }) =>
        by === undefined || by.wildcards.includes(everyone)
          ? []
          : [[service.hostname, { names: by.names, wildcards: by.wildcards }]]
      )
    )
  }
}

const add = (chosen: Map<string, Imported>, { by, service }: Imported): void => {
  const first = chosen.get(service.hostname)
  if (first === undefined) {
    chosen.set(service.hostname, { by, service })
    return
  }
  const merged = mergeServices(first.service, service)
  if (merged !== first.service) {
    chosen.set(service.hostname, { by: merged === service ? by : first.by, service: merged })
  }
}

/** Whether two scopes are the same to every client. */
export const equalScopes = (a: SidecarScope, b: SidecarScope): boolean =>
  a.services.length === b.services.length &&
  a.services.every((service, i) => service === b.services[i]) &&
  aliasText(a) === aliasText(b)

const aliasText = ({ aliasImports }: SidecarScope): string =>
  JSON.stringify(
    [...aliasImports].map(([hostname, { names, wildcards }]) => [hostname, [...names], wildcards])
  )
