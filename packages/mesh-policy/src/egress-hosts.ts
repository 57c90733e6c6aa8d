import { isSubsetOf, isWildcard, overlaps, type SidecarEgress } from "@istiod-lite/model"
import { everyone } from "./visibility.ts"

/** Hosts by name and by pattern. */
export interface ImportedHosts {
  /** without a wildcard */
  readonly names: ReadonlySet<string>
  readonly wildcards: ReadonlyArray<string>
}

/** The hosts that a Sidecar's egress listener names for one namespace. */
export interface HostSet extends ImportedHosts {
  /** `~` hosts: never imported, whatever else is said */
  readonly excluded: ReadonlyArray<string>
}

/** One egress listener, read: what it imports, and the port it is about (undefined = all ports). */
export interface Egress {
  /** by namespace; `*` for all namespaces */
  readonly hosts: ReadonlyMap<string, HostSet>
  /** no wildcard of host or namespace among the imported hosts */
  readonly exact: boolean
  readonly port: number | undefined
}

/** What a proxy without a Sidecar, or with one that says nothing of egress, imports. */
const everything: SidecarEgress = { hosts: ["*/*"], port: undefined }

interface EgressHost {
  readonly namespace: string
  readonly host: string
  readonly excluded: boolean
}

/** Reads `namespace/host`; `~namespace/host` and `~/host` exclude, `.` is the client's own namespace. */
const readHost = (text: string, ownNamespace: string): ReadonlyArray<EgressHost> => {
  const [scope = "", host, ...more] = text.split("/")
  if (host === undefined || more.length > 0) return []
  const excluded = scope.startsWith("~")
  const named = excluded ? scope.slice(1) || everyone : scope
  return [{ namespace: named === "." ? ownNamespace : named, host, excluded }]
}

/** A port that a plain HTTP proxy listens on stands for any port. */
const portOf = ({ port }: SidecarEgress): number | undefined =>
  port === undefined || port.number === 0 || port.protocol.toUpperCase() === "HTTP_PROXY"
    ? undefined
    : port.number

const hostSet = (hosts: ReadonlyArray<EgressHost>): HostSet => {
  const of = (excluded: boolean): ReadonlyArray<string> =>
    hosts.filter((host) => host.excluded === excluded).map(({ host }) => host)
  return {
    names: new Set(of(false).filter((host) => !isWildcard(host))),
    wildcards: of(false).filter(isWildcard),
    excluded: of(true)
  }
}

const readListener = (listener: SidecarEgress, ownNamespace: string): Egress => {
  const read = listener.hosts.flatMap((text) => readHost(text, ownNamespace))
  const imported = read.filter(({ excluded }) => !excluded)
  return {
    hosts: new Map(
      [...Map.groupBy(read, ({ namespace }) => namespace)].map(([namespace, hosts]) => [
        namespace,
        hostSet(hosts)
      ])
    ),
    exact: imported.every(({ host, namespace }) => !isWildcard(host) && namespace !== everyone),
    port: portOf(listener)
  }
}

/**
 * The egress listeners of a Sidecar as clients of a namespace have them.
 *
 * Source: istio pilot/pkg/model/sidecar.go (convertIstioListenerToWrapper).
 */
export const readEgress = (
  egress: ReadonlyArray<SidecarEgress>,
  ownNamespace: string
): ReadonlyArray<Egress> =>
  (egress.length === 0 ? [everything] : egress).map((listener) => readListener(listener, ownNamespace))

export const imports = ({ names, wildcards }: ImportedHosts, hostname: string): boolean =>
  names.has(hostname) || wildcards.some((pattern) => isSubsetOf(hostname, pattern))

/** A VirtualService is imported when its host and an imported one have any name in common. */
export const importsRoutesOf = ({ names, wildcards }: HostSet, hostname: string): boolean =>
  names.has(hostname) ||
  wildcards.some((pattern) => overlaps(hostname, pattern)) ||
  (isWildcard(hostname) && names.values().some((name) => isSubsetOf(name, hostname)))

/** Whether the listener leaves a host out, for its namespace or for all. */
export const excludes = ({ hosts }: Egress, namespace: string, hostname: string): boolean =>
  isExcluded(hosts.get(namespace), hostname) || isExcluded(hosts.get(everyone), hostname)

const isExcluded = (set: HostSet | undefined, hostname: string): boolean =>
  set !== undefined && set.excluded.some((pattern) => isSubsetOf(hostname, pattern))
