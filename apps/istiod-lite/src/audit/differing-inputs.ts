import { parseClusterName } from "@istiod-lite/mesh-policy"
import { gatewaysKey, keyOfService, type ServiceDiscovery } from "@istiod-lite/model"

type Discovery = Pick<ServiceDiscovery["Service"], "byHostname" | "endpoints" | "gateways">

/**
 * Which of the things that an assignment is made of differ between what is served and what was made anew, each with
 * where it is from. Policies are the rest: nothing else differs, but the assignments do.
 */
export const differingInputs = (
  name: string,
  served: Discovery,
  rebuilt: Discovery
): ReadonlyArray<string> => {
  const hostname = parseClusterName(name)?.hostname ?? name
  const now = inputsOf(served, hostname)
  const right = inputsOf(rebuilt, hostname)
  const differing = [...new Set([...now.keys(), ...right.keys()])].filter(
    (input) => now.get(input) !== right.get(input)
  )
  return differing.length === 0 ? ["policies"] : differing
}

/** What there is, by what it is called, as text to compare. */
const inputsOf = (
  { byHostname, endpoints, gateways }: Discovery,
  hostname: string
): ReadonlyMap<string, string> => {
  const services = byHostname.lookup(hostname).map(([, service]) => service)
  return new Map([
    ...services.map(
      (service) => [`service ${service.namespace}/${service.hostname}`, JSON.stringify(service)] as const
    ),
    ...services.flatMap((service) =>
      (endpoints.get(keyOfService(service))?.groups ?? []).map(
        ({ slice, ...group }) =>
          [
            `endpoints ${slice === undefined ? "" : `of EndpointSlice ${group.namespace}/${slice.name} `}in ${group.shard}`,
            JSON.stringify(group)
          ] as const
      )
    ),
    ["network gateways", JSON.stringify(gateways.get(gatewaysKey) ?? [])] as const
  ])
}
