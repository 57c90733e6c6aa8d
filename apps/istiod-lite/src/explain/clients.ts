import { untracked } from "@istiod-lite/collections"
import { parseClusterName, type ProxyView } from "@istiod-lite/mesh-policy"
import { type Endpoint, type EndpointGroup, parseProxy, type Proxy } from "@istiod-lite/model"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import type { ExplainSources } from "./explain-sources.ts"

/** As whom an endpoint is looked at. */
export interface Client {
  /** for people */
  readonly name: string
  readonly proxy: Proxy
  /** undefined: it is not connected, or there is none */
  readonly connection: ConnectionInfo | undefined
  /** somebody asked for this client; if not, it is one that stands where the endpoint stands */
  readonly named: boolean
}

/** What a client sees, looked up once for one question. */
export interface Sight {
  readonly view: ProxyView
  /** the client's EDS clusters by hostname */
  readonly clusters: ReadonlyMap<string, ReadonlyArray<string>>
}

export const makeSight = ({ policy }: Pick<ExplainSources, "policy">): ((proxy: Proxy) => Sight) => {
  const known = new WeakMap<Proxy, Sight>()
  return (proxy) => {
    const seen = known.get(proxy) ?? sightOf(policy, policy.viewOf(untracked, proxy))
    known.set(proxy, seen)
    return seen
  }
}

const sightOf = (policy: ExplainSources["policy"], view: ProxyView): Sight => ({
  view,
  clusters: Map.groupBy(
    policy.clusterNames(untracked, view),
    (name) => parseClusterName(name)?.hostname ?? ""
  )
})

/**
 * A sidecar beside an endpoint, for those who name no client: in the namespace of the service, in the endpoint's
 * cluster, network and node. What it does not get, nobody gets for reasons of place.
 */
export const makeBeside = (): ((group: EndpointGroup, endpoint: Endpoint) => Client) => {
  const known = new Map<string, Client>()
  return ({ namespace, shard }, { addresses, cluster, network, node }) => {
    const metadata = {
      NAMESPACE: namespace,
      CLUSTER_ID: cluster || shard.slice(shard.indexOf("/") + 1),
      NETWORK: network,
      NODE_NAME: node
    }
    const ip = addresses[0]?.includes(":") === true ? "::" : "0.0.0.0"
    const key = JSON.stringify([metadata, ip])
    const client = known.get(key) ?? {
      name: `a sidecar beside it in namespace ${namespace}`,
      proxy: parseProxy({ id: `sidecar~${ip}~.${namespace}~${namespace}.svc.cluster.local`, metadata }),
      connection: undefined,
      named: false
    }
    known.set(key, client)
    return client
  }
}
