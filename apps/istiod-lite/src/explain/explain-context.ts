import type { Service } from "@istiod-lite/model"
import { makeJoined } from "./candidates.ts"
import { makeBeside, makeSight } from "./clients.ts"
import type { ExplainSources } from "./explain-sources.ts"
import { makeFates } from "./fates.ts"

/** The sources with what one question looks up more than once. Not to be kept: it does not see later changes. */
export type ExplainContext = ReturnType<typeof explainContext>

export const explainContext = (sources: ExplainSources) => ({
  ...sources,
  fates: makeFates(sources),
  sight: makeSight(sources),
  beside: makeBeside(),
  joined: makeJoined(sources),
  /** what a host is in a namespace: the definition that counts, with the ports of all that the namespace has (S-47) */
  serviceOf: (namespace: string, hostname: string): Service | undefined => {
    const definitions = sources.discovery.byHostname
      .lookup(hostname)
      .map(([, service]) => service)
      .filter((service) => service.namespace === namespace)
    const [first, ...others] = definitions
    if (first === undefined || others.length === 0) return first
    const ports = new Map(
      definitions.toReversed().flatMap(({ ports }) => ports.map((port) => [port.number, port]))
    )
    return { ...first, ports: [...ports.values()].toSorted((a, b) => a.number - b.number) }
  }
})
