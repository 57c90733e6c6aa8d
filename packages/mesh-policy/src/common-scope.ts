import type { Service } from "@istiod-lite/model"
import { readEgress } from "./egress-hosts.ts"
import { memoOne } from "./identity-memo.ts"
import { inferredServices, type ScopeInputs } from "./imported-services.ts"
import { mergeServices } from "./service-merge.ts"
import { computeSidecarScope, type SidecarScope } from "./sidecar-scope.ts"

interface CommonServices {
  readonly scope: Pick<SidecarScope, "aliasImports" | "byHostname" | "services">
  /** some hostname stands in several namespaces, so who wins it depends on the client's */
  readonly contested: boolean
}

const commonServices = memoOne((visible: ReadonlyArray<Service>): CommonServices => {
  const contested = Map.groupBy(visible, ({ hostname }) => hostname)
    .values()
    .some((services) => services.some(({ namespace }) => namespace !== services[0]?.namespace))
  const scope = computeSidecarScope({
    key: "",
    namespace: "",
    egress: [],
    visible,
    isVisible: () => true,
    servicesOf: () => [],
    routes: []
  })
  return { contested, scope }
})

/**
 * The scope of most namespaces, which have no Sidecar and no services of their own that others do not see: they all
 * share the lists of public services, so that a changed service costs one computation and not one per namespace.
 * Gives what `computeSidecarScope` gives.
 *
 * @param inputs with the same array of visible services for all namespaces that see the same
 */
export const computeScope = (inputs: ScopeInputs): SidecarScope => {
  if (inputs.egress.length > 0) return computeSidecarScope(inputs)
  const { contested, scope } = commonServices(inputs.visible)
  if (contested || addsServices(inputs, scope)) return computeSidecarScope(inputs)
  return { ...scope, key: inputs.key, namespace: inputs.namespace }
}

/** Whether routes lead to a service of the namespace that it does not see, which they make visible. */
const addsServices = (inputs: ScopeInputs, { byHostname }: Pick<SidecarScope, "byHostname">): boolean =>
  readEgress([], inputs.namespace)
    .flatMap((egress) => inferredServices(egress, inputs))
    .some((service) => {
      const known = byHostname.get(service.hostname)
      return known === undefined || mergeServices(known, service) !== known
    })
