import type { Service } from "@istiod-lite/model"
import type { SidecarScope } from "./sidecar-scope.ts"
import { imports } from "./egress-hosts.ts"

/** A hostname in the namespace that declares it. */
export interface NamespacedHost {
  readonly hostname: string
  readonly namespace: string
}

/** An ExternalName service, and the service it leads to in the end. */
export interface ResolvedAlias extends NamespacedHost {
  readonly target: string
}

/**
 * Follows an ExternalName service to the hostname it stands for, through others if they are chained. Undefined for
 * other services, and for chains that come back to where they were, which no DNS server answers either.
 *
 * Source: istio pilot/pkg/model/push_context.go (resolveServiceAliases).
 */
export const resolveAlias = (
  service: Service,
  aliasOf: (hostname: string) => string | undefined
): ResolvedAlias | undefined => {
  const { hostname, namespace } = service
  const seen = new Set([hostname])
  let target = externalName(service)
  while (target !== undefined) {
    if (seen.has(target)) return undefined
    seen.add(target)
    const next = aliasOf(target)
    if (next === undefined) return { hostname, namespace, target }
    target = next
  }
  return undefined
}

/** What an ExternalName service leads to, undefined for other services. */
export const externalName = ({ kube, resolution }: Service): string | undefined =>
  resolution === "alias" ? kube?.externalName : undefined

/** The aliases of a service that came along with it into a scope, by namespace and hostname. */
export const importedAliases = (
  scope: SidecarScope,
  service: Service,
  aliases: ReadonlyArray<ResolvedAlias>
): ReadonlyArray<NamespacedHost> => {
  const by = scope.aliasImports.get(service.hostname)
  return aliases
    .filter(({ hostname }) => by === undefined || imports(by, hostname))
    .map(({ hostname, namespace }) => ({ hostname, namespace }))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

const order = ({ hostname, namespace }: NamespacedHost): string => `${namespace}/${hostname}`
