/** Kubernetes objects, reduced to what discovery reads and with their defaults filled in. */
import type { Labels } from "../labels.ts"
import type { ObjectMeta } from "./meta.ts"

/** The object that another one was made by. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

/** A pod: one workload. */
export interface Pod {
  readonly meta: ObjectMeta
  readonly generateName: string
  /** the owner with `controller: true` */
  readonly controller: OwnerReference | undefined
  readonly deleting: boolean
  readonly serviceAccount: string
  readonly node: string
  readonly hostname: string
  readonly subdomain: string
  readonly hostNetwork: boolean
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown"
  readonly ready: boolean
  /** podIPs, or podIP alone */
  readonly ips: ReadonlyArray<string>
  readonly ports: ReadonlyArray<{
    readonly name: string
    readonly containerPort: number
    readonly protocol: string
  }>
}

/** A machine of a cluster; its labels tell where its pods run. */
export interface Node {
  readonly meta: ObjectMeta
  readonly addresses: ReadonlyArray<{ readonly type: string; readonly address: string }>
}

/** A namespace; its labels and annotations are defaults for what is in it. */
export interface Namespace {
  readonly meta: ObjectMeta
}

/** A port of a Service, and where it leads on the pods. */
export interface KubeServicePort {
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol: string | undefined
  /** defaults to `port` */
  readonly targetPort: number | string
  /** 0 = none */
  readonly nodePort: number
}

/** A Kubernetes Service. */
export interface KubeService {
  readonly meta: ObjectMeta
  readonly type: string
  readonly clusterIP: string
  readonly clusterIPs: ReadonlyArray<string>
  readonly selector: Labels
  readonly ports: ReadonlyArray<KubeServicePort>
  readonly externalName: string
  readonly externalIPs: ReadonlyArray<string>
  readonly loadBalancerIngress: ReadonlyArray<{ readonly ip: string; readonly hostname: string }>
  readonly internalTrafficPolicy: string
  readonly trafficDistribution: string
  readonly publishNotReadyAddresses: boolean
}

/** Says that the Service of the same name is for the whole mesh (Kubernetes' Multi-Cluster Services, KEP-1645). */
export interface ServiceExport {
  readonly meta: ObjectMeta
}

/**
 * Says that the Service of the same name, wherever in the mesh it is, is known in this cluster by its host of the cluster
 * set, at these addresses (KEP-1645). An MCS controller makes it from the exports of all clusters.
 */
export interface ServiceImport {
  readonly meta: ObjectMeta
  /** sorted, those that are no addresses left out; none: a headless Service, which has no such host */
  readonly ips: ReadonlyArray<string>
}

/** One workload in a slice, with what its cluster thinks of it. */
export interface SliceEndpoint {
  readonly addresses: ReadonlyArray<string>
  /** undefined = not said, which S-14 reads as true */
  readonly ready: boolean | undefined
  readonly serving: boolean | undefined
  readonly terminating: boolean | undefined
  readonly targetRef:
    | { readonly kind: string; readonly namespace: string; readonly name: string; readonly uid: string }
    | undefined
  readonly node: string
}

/** Some of the endpoints of a Service. */
export interface EndpointSlice {
  readonly meta: ObjectMeta
  readonly addressType: string
  readonly ports: ReadonlyArray<{
    readonly name: string
    readonly port: number
    readonly protocol: string
  }>
  readonly endpoints: ReadonlyArray<SliceEndpoint>
}
