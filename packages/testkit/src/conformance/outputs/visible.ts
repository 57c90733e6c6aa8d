import type { Service } from "@istiod-lite/model"
import { canonicalText, compact, isList, isRecord, type Json, type JsonRecord } from "../json.ts"
import { identityOf, type UnorderedList } from "../order-rules.ts"
import { portJson } from "./services.ts"

export const visibleOrder: ReadonlyArray<UnorderedList> = [
  { at: [], identity: identityOf("hostname", "namespace") }
]

/** What a proxy is told of a service besides its definition. */
export interface VisibleFacts {
  readonly addresses: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<{ readonly hostname: string; readonly namespace: string }>
  readonly accounts: ReadonlyArray<string>
}

/** `<proxy>.visible.json`: the services of the proxy's sidecar scope as this proxy uses them. */
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

/**
 * Where istiod picks an address at random, the golden says `addressOneOf`. Ours is defined (D-14): the golden takes
 * our choice if it is one of them, else it stays and the difference is reported.
 */
export const settleAddresses = (expected: Json, actual: Json): Json =>
  isList(expected) && isList(actual) ? expected.map((item) => settleAddress(item, actual)) : expected

const settleAddress = (item: Json, actual: ReadonlyArray<Json>): Json => {
  if (!isRecord(item) || !isList(item.addressOneOf)) return item
  const { addressOneOf, ...rest } = item
  const ours = actual.find(
    (other): other is JsonRecord => isRecord(other) && sameService(item, other)
  )?.addresses
  const chosen = isList(ours) && ours.length === 1 ? ours[0] : undefined
  const isChoice =
    chosen !== undefined && addressOneOf.some((one) => canonicalText(one) === canonicalText(chosen))
  return isChoice ? { ...rest, addresses: [chosen] } : item
}

const sameService = (a: JsonRecord, b: JsonRecord): boolean =>
  a.hostname === b.hostname && a.namespace === b.namespace
