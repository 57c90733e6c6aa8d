/** Builders of Istio's objects for tests: they say nothing but what a test gives them. */
import { noLabels } from "../labels.ts"
import type {
  DestinationRule,
  Gateway,
  PeerAuthentication,
  Sidecar,
  Subset,
  VirtualService
} from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { objectMeta } from "./builders.ts"

type Fields<T extends { readonly meta: ObjectMeta }> = Partial<Omit<T, "meta">> & {
  readonly meta?: Partial<ObjectMeta>
}

/** A rule for a host, `shop/object` unless said otherwise. */
export const destinationRule = ({ meta, ...fields }: Fields<DestinationRule>): DestinationRule => ({
  meta: objectMeta({ namespace: "shop", ...meta }),
  host: "reviews.shop.svc.cluster.local",
  exportTo: [],
  workloadSelector: undefined,
  trafficPolicy: undefined,
  subsets: [],
  ...fields
})

export const subset = (name: string, fields: Partial<Subset> = {}): Subset => ({
  name,
  labels: noLabels,
  trafficPolicy: undefined,
  ...fields
})

/** A Sidecar for a whole namespace that imports the given hosts on all ports. */
export const sidecar = (
  hosts: ReadonlyArray<string>,
  { meta, ...fields }: Fields<Sidecar> = {}
): Sidecar => ({
  meta: objectMeta({ namespace: "shop", ...meta }),
  workloadSelector: undefined,
  egress: [{ hosts, port: undefined }],
  ...fields
})

/** Routes of sidecars for `reviews` of `shop`, without destinations. */
export const virtualService = ({ meta, ...fields }: Fields<VirtualService> = {}): VirtualService => ({
  meta: objectMeta({ namespace: "shop", ...meta }),
  hosts: ["reviews.shop.svc.cluster.local"],
  gateways: ["mesh"],
  exportTo: [],
  destinations: [],
  ...fields
})

/** A policy for a whole namespace that leaves the mode unset. */
export const peerAuthentication = ({
  meta,
  ...fields
}: Fields<PeerAuthentication> = {}): PeerAuthentication => ({
  meta: objectMeta({ namespace: "shop", ...meta }),
  selector: undefined,
  mtls: "UNSET",
  portLevelMtls: {},
  ...fields
})

/** A gateway with one TLS server, as east-west gateways have it. */
export const gateway = (tlsMode: string, { meta, ...fields }: Fields<Gateway> = {}): Gateway => ({
  meta: objectMeta({ namespace: "istio-system", ...meta }),
  selector: { istio: "eastwest" },
  servers: [{ hosts: ["*.local"], port: { name: "tls", number: 15_443, protocol: "TLS" }, tlsMode }],
  ...fields
})
