import { compareByAge, type Service } from "@istiod-lite/model"
import { declaringObject } from "./object-names.ts"

/** One object's claim to a host, and whether it is what clients mean by the host. */
export interface HostClaim {
  readonly service: Service
  /** `Service shop/cart` */
  readonly object: string
  /** `adds`: its endpoints and ports join those of the winner, which is of the same namespace */
  readonly outcome: "wins" | "adds" | "loses"
  readonly rule: string
  readonly because: string
}

/**
 * Who has a host, and why.
 *
 * @param services all of the host, in the order of lookups (S-42)
 * @param seen the one in a client's scope; undefined: nobody asked for a client, the first of the lookup counts
 */
export const hostClaims = (
  services: ReadonlyArray<Service>,
  seen: { readonly service: Service | undefined; readonly namespace: string } | undefined
): ReadonlyArray<HostClaim> => {
  const [first] = services
  if (first === undefined) return []
  const winner = seen === undefined ? first : seen.service
  const claims = new Map<string, HostClaim>()
  for (const service of services) {
    const object = declaringObject(service)
    if (!claims.has(object))
      claims.set(object, { service, object, ...claimOf(service, winner, services, seen?.namespace) })
  }
  return [...claims.values()]
}

const claimOf = (
  service: Service,
  winner: Service | undefined,
  all: ReadonlyArray<Service>,
  clientNamespace: string | undefined
): Pick<HostClaim, "because" | "outcome" | "rule"> => {
  if (winner === undefined)
    return { outcome: "loses", rule: "S-46", because: `namespace ${clientNamespace ?? ""} does not see it` }
  if (declaringObject(service) === declaringObject(winner))
    return { outcome: "wins", ...reasonOf(winner, all, clientNamespace) }
  return service.namespace === winner.namespace
    ? { outcome: "adds", rule: "S-47", because: `it is of the same namespace as ${declaringObject(winner)}` }
    : {
        outcome: "loses",
        rule: reasonOf(winner, all, clientNamespace).rule,
        because: `${declaringObject(winner)} has the host`
      }
}

/** Why the winner wins, in the order of the rule: own namespace, Kubernetes, age (S-46, S-42, S-35). */
const reasonOf = (
  winner: Service,
  all: ReadonlyArray<Service>,
  clientNamespace: string | undefined
): Pick<HostClaim, "because" | "rule"> => {
  const others = all.filter((service) => declaringObject(service) !== declaringObject(winner))
  if (others.length === 0) return { rule: "S-1", because: "nothing else declares the host" }
  if (winner.namespace === clientNamespace && others.some(({ namespace }) => namespace !== clientNamespace))
    return { rule: "S-46", because: `it is of the client's own namespace ${winner.namespace}` }
  if (winner.provider === "Kubernetes" && others.some(({ provider }) => provider !== "Kubernetes"))
    return { rule: "S-42", because: "a Kubernetes Service comes before ServiceEntries" }
  const isOldest = others.every((other) => compareByAge(winner, other) <= 0)
  return isOldest
    ? { rule: "S-35", because: `it is the oldest (${winner.creationTime}; of one second, by name)` }
    : { rule: "S-46", because: "it is the one that the client's namespace sees" }
}
