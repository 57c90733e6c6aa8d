import type { Service } from "@istiod-lite/model"
import type { Client } from "./clients.ts"
import { explainCandidate } from "./endpoint-chain.ts"
import type { ExplainContext } from "./explain-context.ts"
import type { Explanation, Step } from "./explanation.ts"
import { type HostClaim, hostClaims } from "./host-claims.ts"
import type { NearMiss } from "./near-miss.ts"
import { nearMisses } from "./near-misses.ts"
import { candidatesOfService, serviceFindings } from "./service-findings.ts"

/** What a host is to clients, and what becomes of each of its endpoints. */
export interface ServiceExplanation {
  readonly hostname: string
  /** every object that declares the host */
  readonly claims: ReadonlyArray<HostClaim>
  /** what is wrong with it as a whole; empty if nothing is */
  readonly findings: ReadonlyArray<Step>
  readonly endpoints: ReadonlyArray<Explanation>
  /** what is no part of it, but was probably meant to be */
  readonly nearMisses: ReadonlyArray<NearMiss>
}

/**
 * Explains a host with its endpoints.
 *
 * @param services its definitions, at least one
 * @param port undefined: all ports; else endpoints of the service's other ports are left out
 */
export const explainService = (
  context: ExplainContext,
  services: readonly [Service, ...ReadonlyArray<Service>],
  port: number | undefined,
  client: Client | undefined
): ServiceExplanation => {
  const [{ hostname }] = services
  const scope = client === undefined ? undefined : context.sight(client.proxy).view.scope
  const seen =
    scope === undefined ? undefined : { service: scope.byHostname.get(hostname), namespace: scope.namespace }
  const namespaces = new Set(services.map(({ namespace }) => namespace))
  const told = [...namespaces]
    .flatMap((namespace) => context.serviceOf(namespace, hostname) ?? [])
    .map((service) => ({ service, candidates: candidatesOfService(context, service) }))
  return {
    hostname,
    claims: hostClaims(services, seen),
    findings: told.flatMap(({ candidates, service }) =>
      serviceFindings(context, service, candidates, client)
    ),
    endpoints: told.flatMap(({ candidates, service }) =>
      candidates
        .filter(({ told }) => "held" in told || isAboutPort(service, told.endpoint.servicePortName, port))
        .map((candidate) => explainCandidate(context, candidate, client))
    ),
    nearMisses: told.flatMap(({ service }) => nearMisses(context, service))
  }
}

/** A port that the service does not have may be meant for any of those that it has. */
const isAboutPort = ({ ports }: Service, name: string, port: number | undefined): boolean => {
  const named = ports.find((one) => one.name === name)
  return port === undefined || named === undefined || named.number === port
}
