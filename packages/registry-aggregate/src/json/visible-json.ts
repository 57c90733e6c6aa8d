import type { Service } from "@istiod-lite/model"
import { compact, type Json } from "./json-value.ts"
import { portJson } from "./services-json.ts"

/** What a proxy is told of a service besides its definition. */
export interface VisibleFacts {
  readonly addresses: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<{ readonly hostname: string; readonly namespace: string }>
  readonly accounts: ReadonlyArray<string>
}

/** The services of the proxy's sidecar scope as this proxy uses them. */
export const visibleJson = (
  services: ReadonlyArray<Service>,
  factsOf: (service: Service) => VisibleFacts
): Json =>
  services.map((service) => {
    const { accounts, addresses, aliases } = factsOf(service)
    return {
      ports: service.ports.map(portJson),
      ...compact({
        hostname: service.hostname,
        namespace: service.namespace,
        objectName: service.objectName,
        registry: service.provider,
        resolution: service.resolution,
        addresses,
        aliases: aliases.map(({ hostname, namespace }) => ({ hostname, namespace })),
        serviceAccounts: accounts
      })
    }
  })
