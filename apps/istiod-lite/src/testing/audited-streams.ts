import { parseProxy, type Proxy, type XdsGenerator } from "@istiod-lite/model"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { ConnectionInfo } from "@istiod-lite/xds-server"

/** A stream of a proxy that has accepted all that it was sent. */
export interface AuditedStream {
  readonly info: () => ConnectionInfo
  /** Sends it what the generator makes now. */
  readonly update: (generator: XdsGenerator) => void
  /** From now on a response is on its way. */
  readonly stall: () => void
}

/** A sidecar `<name>.<namespace>` that asks for the endpoints of some names, and is sent them. */
export const auditedStream = (
  who: string,
  names: ReadonlyArray<string>,
  generator: XdsGenerator
): AuditedStream => {
  const namespace = who.slice(who.lastIndexOf(".") + 1)
  const proxy: Proxy = parseProxy({
    id: `sidecar~198.51.100.190~${who}~${namespace}.svc.cluster.local`,
    metadata: { CLUSTER_ID: "Kubernetes" }
  })
  const versions = new Map<string, string>()
  const update = (by: XdsGenerator): void => {
    for (const { name, version } of by.generate(names, proxy)) versions.set(name, version)
  }
  update(generator)
  let writing = false
  const response = { nonce: "1", version: "1" }
  return {
    update,
    stall: () => void (writing = true),
    info: () => ({
      node: proxy.id,
      proxy,
      peer: "198.51.100.190:40000",
      protocol: "delta",
      connectedAt: 0,
      writing,
      behindSince: undefined,
      subscriptions: [
        {
          typeUrl: endpointTypeUrl,
          names: names.length,
          wildcard: false,
          subscribed: new Set(names),
          versions,
          owes: false,
          sent: response,
          accepted: response,
          refused: undefined
        }
      ]
    })
  }
}
