import type { Endpoint, Proxy } from "@istiod-lite/model"
import {
  type AssignedEndpoint,
  type Assignment,
  assignmentQuery,
  type BehindGateways,
  type Exclusion,
  isGateway
} from "@istiod-lite/xds-eds"
import type { ExplainSources } from "./explain-sources.ts"

/** What became of an endpoint in one cluster of one client. */
export type Fate =
  | { readonly _tag: "Sent"; readonly as: AssignedEndpoint; readonly priority: number }
  | ({ readonly _tag: "BehindGateways" } & BehindGateways)
  | { readonly _tag: "Excluded"; readonly exclusion: Exclusion }

/** The fates of all endpoints of one assignment. */
export type Fates = ReadonlyMap<Endpoint, Fate>

const fatesIn = ({ behindGateways, excluded, localities }: Assignment): Fates => {
  const fates = new Map<Endpoint, Fate>()
  for (const exclusion of excluded) fates.set(exclusion.endpoint, { _tag: "Excluded", exclusion })
  for (const behind of behindGateways) fates.set(behind.endpoint, { _tag: "BehindGateways", ...behind })
  for (const { endpoints, priority } of localities)
    for (const as of endpoints)
      if (!isGateway(as.source)) fates.set(as.source, { _tag: "Sent", as, priority })
  return fates
}

/** Looks fates up in the assignments that clients are sent; each is built once, for one question. */
export const makeFates = (sources: ExplainSources): ((proxy: Proxy, cluster: string) => Fates) => {
  const assignmentOf = assignmentQuery(sources)
  const known = new WeakMap<Proxy, Map<string, Fates>>()
  return (proxy, cluster) => {
    const ofProxy = known.get(proxy) ?? new Map<string, Fates>()
    known.set(proxy, ofProxy)
    const fates = ofProxy.get(cluster) ?? fatesIn(assignmentOf(proxy, cluster))
    ofProxy.set(cluster, fates)
    return fates
  }
}
