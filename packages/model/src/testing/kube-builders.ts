/** Builders of Kubernetes objects for tests: every field has the API's default, tests name what they are about. */
import { Label, noLabels } from "../labels.ts"
import type {
  EndpointSlice,
  KubeService,
  KubeServicePort,
  Namespace,
  Node,
  Pod,
  ServiceExport,
  ServiceImport,
  SliceEndpoint
} from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { objectMeta } from "./builders.ts"

type Fields<T extends { readonly meta: ObjectMeta }> = Partial<Omit<T, "meta">> & {
  readonly meta?: Partial<ObjectMeta>
}

/** A running, ready pod `shop/reviews-1` at 10.20.0.1, without a node. */
export const pod = ({ meta, ...fields }: Fields<Pod> = {}): Pod => ({
  meta: objectMeta({ name: "reviews-1", namespace: "shop", labels: { app: "reviews" }, ...meta }),
  generateName: "",
  controller: undefined,
  deleting: false,
  serviceAccount: "reviews",
  node: "",
  hostname: "",
  subdomain: "",
  hostNetwork: false,
  phase: "Running",
  ready: true,
  ips: ["10.20.0.1"],
  ports: [],
  ...fields
})

/** Port `http`, 80, which leads to 8080. */
export const kubePort = (fields: Partial<KubeServicePort> = {}): KubeServicePort => ({
  name: "http",
  port: 80,
  protocol: "TCP",
  appProtocol: undefined,
  targetPort: 8080,
  nodePort: 0,
  ...fields
})

/** Service `shop/reviews` at 10.96.0.1 with port `http` and no selector. */
export const kubeService = ({ meta, ...fields }: Fields<KubeService> = {}): KubeService => ({
  meta: objectMeta({ name: "reviews", namespace: "shop", ...meta }),
  type: "ClusterIP",
  clusterIP: "10.96.0.1",
  clusterIPs: [],
  selector: noLabels,
  ports: [kubePort()],
  externalName: "",
  externalIPs: [],
  loadBalancerIngress: [],
  internalTrafficPolicy: "Cluster",
  trafficDistribution: "",
  publishNotReadyAddresses: false,
  ...fields
})

/** The export of service `shop/reviews`. */
export const serviceExport = (meta: Partial<ObjectMeta> = {}): ServiceExport => ({
  meta: objectMeta({ name: "reviews", namespace: "shop", ...meta })
})

/** The import of service `shop/reviews` at 10.112.0.1. */
export const serviceImport = ({ meta, ...fields }: Fields<ServiceImport> = {}): ServiceImport => ({
  meta: objectMeta({ name: "reviews", namespace: "shop", ...meta }),
  ips: ["10.112.0.1"],
  ...fields
})

/** A ready address that names no pod. */
export const sliceEndpoint = (fields: Partial<SliceEndpoint> = {}): SliceEndpoint => ({
  addresses: ["10.20.0.1"],
  ready: true,
  serving: undefined,
  terminating: undefined,
  targetRef: undefined,
  node: "",
  ...fields
})

/** The target of a slice's address: a pod of `shop`. */
export const podRef = (name = "reviews-1", uid = ""): SliceEndpoint["targetRef"] => ({
  kind: "Pod",
  namespace: "shop",
  name,
  uid
})

/** An IPv4 slice `shop/reviews-a` of service `reviews` with port `http` 8080. */
export const endpointSlice = ({ meta, ...fields }: Fields<EndpointSlice> = {}): EndpointSlice => ({
  meta: objectMeta({
    name: "reviews-a",
    namespace: "shop",
    labels: { [Label.serviceName]: "reviews" },
    ...meta
  }),
  addressType: "IPv4",
  ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  endpoints: [sliceEndpoint()],
  ...fields
})

/** A node without addresses. */
export const node = (name: string, labels: ObjectMeta["labels"] = noLabels, externalIp = ""): Node => ({
  meta: objectMeta({ name, namespace: "", labels }),
  addresses: externalIp === "" ? [] : [{ type: "ExternalIP", address: externalIp }]
})

/** A namespace with labels and annotations. */
export const namespace = (
  name: string,
  meta: Partial<Pick<ObjectMeta, "labels" | "annotations">> = {}
): Namespace => ({ meta: objectMeta({ name, namespace: "", ...meta }) })
