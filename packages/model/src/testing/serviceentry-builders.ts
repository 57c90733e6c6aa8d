/** Builders of ServiceEntries and WorkloadEntries for tests: every field has the API's default. */
import { noLabels } from "../labels.ts"
import type { ServiceEntry, ServiceEntryPort, WorkloadEntry, WorkloadSpec } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { objectMeta } from "./builders.ts"

type Fields<T extends { readonly meta: ObjectMeta }> = Partial<Omit<T, "meta">> & {
  readonly meta?: Partial<ObjectMeta>
}

/** Port `http`, 80, of protocol HTTP. */
export const serviceEntryPort = (fields: Partial<ServiceEntryPort> = {}): ServiceEntryPort => ({
  number: 80,
  name: "http",
  protocol: "HTTP",
  targetPort: 0,
  ...fields
})

/** An entry of `shop` for `<name>.example` with port `http`, resolved by DNS. */
export const serviceEntry = ({ meta, ...fields }: Fields<ServiceEntry> = {}): ServiceEntry => ({
  meta: objectMeta({ name: "entry", namespace: "shop", ...meta }),
  hosts: [`${meta?.name ?? "entry"}.example`],
  addresses: [],
  ports: [serviceEntryPort()],
  meshExternal: true,
  resolution: "DNS",
  endpoints: [],
  workloadSelector: undefined,
  exportTo: [],
  subjectAltNames: [],
  statusAddresses: [],
  ...fields
})

/** A machine at 192.0.2.1. */
export const workloadSpec = (fields: Partial<WorkloadSpec> = {}): WorkloadSpec => ({
  address: "192.0.2.1",
  ports: {},
  labels: noLabels,
  network: "",
  locality: "",
  weight: 0,
  serviceAccount: "",
  ...fields
})

/** WorkloadEntry `shop/erp-1` at 192.0.2.1. */
export const workloadEntry = ({
  meta,
  spec,
  ...fields
}: Partial<Pick<WorkloadEntry, "healthy">> & {
  readonly meta?: Partial<ObjectMeta>
  readonly spec?: Partial<WorkloadSpec>
} = {}): WorkloadEntry => ({
  meta: objectMeta({ name: "erp-1", namespace: "shop", ...meta }),
  spec: workloadSpec(spec),
  healthy: undefined,
  ...fields
})
