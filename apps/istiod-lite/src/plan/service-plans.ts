import type { Change } from "@istiod-lite/collections"
import {
  compareText,
  type Endpoint,
  isUsable,
  keyOfService,
  type Service,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { hostPort } from "../tables/endpoints-table.ts"
import { fieldChanges, isUnchanged, listChanges } from "./list-changes.ts"
import type { ServicePlan } from "./plan-answer.ts"

/** What one transaction changed of the phone book. */
export interface DiscoveryDifferences {
  /** by the key of the collection: a ServiceEntry of several addresses gives several services of one name */
  readonly services: ReadonlyArray<Change<Service>>
  /** by `serviceKey` */
  readonly endpoints: ReadonlyArray<Change<ServiceEndpoints>>
}

/** What becomes of each service that a change touches, by `namespace/hostname`. */
export const servicePlans = ({ endpoints, services }: DiscoveryDifferences): ReadonlyArray<ServicePlan> => {
  const definitions = Map.groupBy(services, ({ now, old }) => keyOfEither(now ?? old))
  const memberships = new Map(endpoints.map((change) => [change.key, change]))
  return [...new Set([...definitions.keys(), ...memberships.keys()])]
    .toSorted(compareText)
    .map((key) => servicePlan(key, definitions.get(key) ?? [], memberships.get(key)))
    .filter(
      ({ became, endpoints, fields }) => became !== "changed" || fields.length > 0 || !isUnchanged(endpoints)
    )
}

const keyOfEither = (service: Service | undefined): string =>
  service === undefined ? "" : keyOfService(service)

const servicePlan = (
  key: string,
  definitions: ReadonlyArray<Change<Service>>,
  membership: Change<ServiceEndpoints> | undefined
): ServicePlan => {
  const before = endpointsByKey(membership?.old)
  const now = endpointsByKey(membership?.now)
  // Its endpoints are there while it is: also when one of several definitions goes, or none has endpoints.
  const comes = membership !== undefined && membership.old === undefined
  const goes = membership !== undefined && membership.now === undefined
  return {
    service: key,
    became: comes ? "added" : goes ? "removed" : "changed",
    fields: comes || goes ? [] : changedFields(definitions),
    usable: [usable(before), usable(now)],
    endpoints: listChanges(before, now, { name: nameOf, difference })
  }
}

/** Names of the fields in which the definitions differ; `address` if one of several came or went. */
const changedFields = (definitions: ReadonlyArray<Change<Service>>): ReadonlyArray<string> => {
  const fields = definitions.flatMap(({ now, old }) =>
    now === undefined || old === undefined
      ? ["address"]
      : Object.entries(now).flatMap(([field, value]) =>
          field !== "resourceVersion" &&
          JSON.stringify(value) !== JSON.stringify(Object.entries(old).find(([name]) => name === field)?.[1])
            ? [field]
            : []
        )
  )
  return [...new Set(fields)].toSorted(compareText)
}

const endpointsByKey = (endpoints: ServiceEndpoints | undefined): ReadonlyMap<string, Endpoint> =>
  new Map(
    (endpoints?.groups ?? []).flatMap(({ endpoints, shard }) =>
      endpoints.map((endpoint) => [
        `${shard}|${endpoint.addresses[0] ?? ""}|${endpoint.port}|${endpoint.servicePortName}|${endpoint.origin.kind}`,
        endpoint
      ])
    )
  )

const usable = (endpoints: ReadonlyMap<string, Endpoint>): number =>
  [...endpoints.values()].filter(isUsable).length

const nameOf = ({ addresses, origin, port }: Endpoint): string => {
  const address = hostPort(addresses[0] ?? "", port)
  return origin.kind === "Pod" || origin.kind === "WorkloadEntry" ? `${address} (${origin.name})` : address
}

const difference = (before: Endpoint, now: Endpoint): string =>
  fieldChanges(before, now, [
    "health",
    "weight",
    "locality",
    "network",
    "labels",
    "tlsMode",
    "serviceAccount",
    "discoverability"
  ])
