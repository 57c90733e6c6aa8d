import type { Collection } from "@istiod-lite/collections"
import { findPort, keyOfService, type Service, type ServiceEndpoints } from "@istiod-lite/model"
import { Effect } from "effect"
import { findServices, noServiceText } from "./find-services.ts"
import type { HostPort } from "./queries.ts"
import { NothingFound } from "./query-error.ts"

/** What the endpoints of a host are looked up in. */
interface PhoneBook {
  readonly services: Collection<Service>
  readonly endpoints: Collection<ServiceEndpoints>
}

/** The endpoints of the services that `of` names, of its port alone if it names one; of all services if undefined. */
export const endpointsOf = (
  { endpoints, services }: PhoneBook,
  of: HostPort | undefined
): Effect.Effect<ReadonlyArray<ServiceEndpoints>, NothingFound> => {
  if (of === undefined) return Effect.succeed([...endpoints.values()])
  const { host, port } = of
  const found = findServices(services.values(), host)
  if (found.length === 0) return Effect.fail(new NothingFound({ message: noServiceText(host) }))
  const withPort =
    port === undefined ? found : found.filter((service) => findPort(service, port) !== undefined)
  if (withPort.length === 0) {
    const ports = found.flatMap((service) => service.ports.map(({ number }) => number))
    const message = `${found[0]?.hostname} has no port ${port}; it has ${[...new Set(ports)].join(", ")}.`
    return Effect.fail(new NothingFound({ message }))
  }
  const byKey = new Map(withPort.map((service) => [keyOfService(service), service]))
  return Effect.succeed(
    [...byKey].flatMap(([key, service]) => {
      const known = endpoints.get(key)
      return known === undefined ? [] : [port === undefined ? known : ofPort(known, service, port)]
    })
  )
}

const ofPort = (all: ServiceEndpoints, service: Service, port: number): ServiceEndpoints => {
  const name = findPort(service, port)?.name
  return {
    ...all,
    groups: all.groups.map((group) => ({
      ...group,
      endpoints: group.endpoints.filter(({ servicePortName }) => servicePortName === name)
    }))
  }
}
