import {
  formatLocality,
  type IpMode,
  type Labels,
  type Locality,
  type ServiceTarget
} from "@istiod-lite/model"
import { canonicalText, compact, type Json } from "../json.ts"
import { identityOf, type UnorderedList } from "../order-rules.ts"
import { portJson } from "./services.ts"

export const targetsOrder: ReadonlyArray<UnorderedList> = [
  { at: ["targets"], identity: identityOf("registry", "namespace", "hostname", "port.number") }
]

/** What is known of a proxy (S-51). */
export interface ProxyFacts {
  readonly labels: Labels
  readonly locality: Locality
  readonly ipMode: IpMode
}

/** `<proxy>.targets.json`: what the proxy serves and what is known of it. */
export const targetsJson = (
  targets: ReadonlyArray<ServiceTarget>,
  workloadLabels: Labels | undefined,
  facts: ProxyFacts
): Json => ({
  targets: targets.map(targetJson).toSorted((a, b) => (canonicalText(a) < canonicalText(b) ? -1 : 1)),
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
