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
  /** the definition of a host in a namespace that counts */
  serviceOf: (namespace: string, hostname: string): Service | undefined =>
    sources.discovery.byHostname.lookup(hostname).find(([, service]) => service.namespace === namespace)?.[1]
})
