import {
  formatLocality,
  type IpMode,
  type Labels,
  type Locality,
  type ServiceTarget
} from "@istiod-lite/model"
import { compact, compareCanonically, type Json } from "./json-value.ts"
import { portJson } from "./services-json.ts"

/** What is known of a proxy (S-51). */
export interface ProxyFacts {
  readonly labels: Labels
  readonly locality: Locality
  readonly ipMode: IpMode
}

/** What the proxy serves and what is known of it. */
export const targetsJson = (
  targets: ReadonlyArray<ServiceTarget>,
  workloadLabels: Labels | undefined,
  facts: ProxyFacts
): Json => ({
  targets: targets.map(targetJson).toSorted(compareCanonically),
  ...compact({
    workloadLabels,
    proxyLabels: facts.labels,
    proxyLocality: formatLocality(facts.locality),
    ipMode: facts.ipMode
  })
})

const targetJson = ({ port, service, targetPort }: ServiceTarget): Json => ({
  hostname: service.hostname,
  namespace: service.namespace,
  registry: service.provider,
  port: { ...portJson(port), ...compact({ targetPort }) }
})
