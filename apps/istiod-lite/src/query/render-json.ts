import { untracked } from "@istiod-lite/collections"
import type { PolicyQueries } from "@istiod-lite/mesh-policy"
import type { Proxy, ServiceDiscovery } from "@istiod-lite/model"
import {
  compact,
  type Json,
  type JsonRecord,
  targetsJson,
  visibleJson
} from "@istiod-lite/registry-aggregate"
import {
  type Assignment,
  assignmentQuery,
  assignmentToJson,
  describeExclusion,
  type Exclusion
} from "@istiod-lite/xds-eds"
import type { Context } from "effect"

/** What a proxy's view is made from. */
interface Sources {
  readonly discovery: Context.Service.Shape<typeof ServiceDiscovery>
  readonly policy: PolicyQueries
  /** notes on registries that are known only as they were */
  readonly stale?: ReadonlyArray<JsonRecord>
}

/**
 * The mesh as one proxy sees it: what it serves (`targets`), what it may call (`visible`), the endpoints that it is
 * sent (`eds`), and those that it is not sent, with the reason (`excluded`).
 */
export const renderJson = ({ discovery, policy, stale = [] }: Sources, proxy: Proxy): Json => {
  const view = policy.viewOf(untracked, proxy)
  const assignmentOf = assignmentQuery({ discovery, policy })
  const assignments = policy.clusterNames(untracked, view).map((name) => assignmentOf(proxy, name))
  return {
    proxy: proxy.id,
    ...(stale.length === 0 ? {} : { stale }),
    targets: targetsJson(
      discovery.targets(untracked, proxy),
      discovery.workloadLabels(untracked, proxy),
      view
    ),
    visible: visibleJson(view.scope.services, (service) => ({
      addresses: policy.addresses(untracked, view, service),
      aliases: policy.aliases(untracked, view, service),
      accounts: policy.accounts(untracked, service)
    })),
    eds: Object.fromEntries(
      // protojson is JSON: its type only says so in other words.
      assignments.map((assignment) => [assignment.name, assignmentToJson(assignment) as Json])
    ),
    excluded: Object.fromEntries(assignments.flatMap(excludedJson))
  }
}

/** Endpoints of the service's other ports are no news: nobody expects them here. */
const excludedJson = ({ excluded, name }: Assignment): ReadonlyArray<readonly [string, Json]> => {
  const told = excluded.filter(({ reason }) => reason._tag !== "OtherPort")
  return told.length === 0 ? [] : [[name, told.map(exclusionJson)]]
}

const exclusionJson = (exclusion: Exclusion): Json => {
  const { remedy, rule, text } = describeExclusion(exclusion)
  const { addresses, port } = exclusion.endpoint
  return compact({ address: addresses[0], port, reason: exclusion.reason._tag, rule, because: text, remedy })
}
