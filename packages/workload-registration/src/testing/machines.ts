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

/** A WorkloadEntry that somebody wrote, of service account `ledger`, whose machine may report its health. */
export const ledgerEntry: RawObject = {
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: {
    name: "ledger-1",
    namespace: "shop",
    annotations: { "proxy.istio.io/health-checks-enabled": "true" }
  },
  spec: { address: "192.0.2.140", labels: { app: "ledger" }, serviceAccount: "ledger" }
}

/** What may neither register for `group()` nor act for `ledgerEntry`: by whom it is, and why not. */
export const impostors: ReadonlyArray<readonly [claim: MachineFields, reason: RegExp]> = [
  [{ identities: ["spiffe://cluster.local/ns/shop/sa/web"] }, /shop\/web is not service account billing-vm/],
  [{ identities: ["spiffe://cluster.local/ns/other/sa/billing-vm"] }, /is not of namespace shop/],
  [{ identities: [] }, /needs an identity/],
  [
    {
      group: "",
      metadata: { WORKLOAD_ENTRY: "ledger-1" },
      identities: ["spiffe://cluster.local/ns/shop/sa/web"]
    },
    /is not service account ledger/
  ]
]
