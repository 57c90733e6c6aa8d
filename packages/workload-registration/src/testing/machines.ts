/** Machines and groups for tests. */
import { parseProxy, type ProxyConnection, type RawObject } from "@istiod-lite/model"
import { Clock, Effect } from "effect"

/** What a machine's agent sends, and what its connection proves. */
export interface MachineFields {
  readonly address?: string
  readonly namespace?: string
  readonly group?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly locality?: { readonly region: string; readonly zone: string; readonly subZone: string }
  /** default: of service account `billing-vm` in its namespace */
  readonly identities?: ReadonlyArray<string>
}

let connections = 0

/** A stream of a machine of group `billing` in namespace `shop`, as of now. */
export const connectionOf = ({
  address = "192.0.2.101",
  group = "billing",
  identities,
  locality,
  metadata = {},
  namespace = "shop"
}: MachineFields = {}): Effect.Effect<ProxyConnection> =>
  Effect.map(Clock.currentTimeMillis, (connectedAt) => {
    const id = `sidecar~${address}~vm.${namespace}~${namespace}.svc.cluster.local`
    const own = { NAMESPACE: namespace, INSTANCE_IPS: address, AUTO_REGISTER_GROUP: group, ...metadata }
    const node = { id, metadata: own, locality }
    return {
      id: `connection-${++connections}`,
      peer: { address: "198.51.100.7:40000", identities: [] },
      node,
      proxy: parseProxy(node),
      identities: identities ?? [`spiffe://cluster.local/ns/${namespace}/sa/billing-vm`],
      connectedAt
    }
  })

/** A WorkloadGroup of service account `billing-vm`. */
export const group = (
  name = "billing",
  fields: {
    readonly labels?: Readonly<Record<string, string>>
    readonly template?: Readonly<Record<string, unknown>>
    readonly annotations?: Readonly<Record<string, string>>
  } = {}
): RawObject => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadGroup",
  metadata: { name, namespace: "shop", annotations: fields.annotations ?? {} },
  spec: {
    metadata: { labels: fields.labels ?? { app: name } },
    template: { serviceAccount: "billing-vm", ...fields.template }
  }
})
