/** Istio's networking and security objects, reduced to what bears on discovery and with their defaults filled in. */
import type { Labels } from "../labels.ts"
import type { LocalityLbSetting } from "../mesh-config.ts"
import type { ObjectMeta } from "./meta.ts"

/** A port of a ServiceEntry. */
export interface ServiceEntryPort {
  readonly number: number
  readonly name: string
  readonly protocol: string
  /** 0 = the number */
  readonly targetPort: number
}

/** A machine as WorkloadEntries and inline endpoints describe it. */
export interface WorkloadSpec {
  /** IP, hostname or `unix://…`; empty behind a gateway */
  readonly address: string
  readonly ports: Readonly<Record<string, number>>
  readonly labels: Labels
  readonly network: string
  readonly locality: string
  /** 0 = not said */
  readonly weight: number
  readonly serviceAccount: string
}

/** How the addresses of a ServiceEntry are found (S-31). */
export type ServiceEntryResolution = "NONE" | "STATIC" | "DNS" | "DNS_ROUND_ROBIN" | "DYNAMIC_DNS"

/** Services outside of Kubernetes, or on machines. */
export interface ServiceEntry {
  readonly meta: ObjectMeta
  readonly hosts: ReadonlyArray<string>
  readonly addresses: ReadonlyArray<string>
  readonly ports: ReadonlyArray<ServiceEntryPort>
  readonly meshExternal: boolean
  readonly resolution: ServiceEntryResolution
  readonly endpoints: ReadonlyArray<WorkloadSpec>
  /** undefined = inline endpoints; empty labels select nothing (D-16) */
  readonly workloadSelector: Labels | undefined
  readonly exportTo: ReadonlyArray<string>
  readonly subjectAltNames: ReadonlyArray<string>
  /** status.addresses, written by an allocator (D-8) */
  readonly statusAddresses: ReadonlyArray<{ readonly host: string; readonly value: string }>
}

/** A machine that joined the mesh. */
export interface WorkloadEntry {
  readonly meta: ObjectMeta
  readonly spec: WorkloadSpec
  /** status condition `Healthy`: undefined = absent (S-34) */
  readonly healthy: boolean | undefined
}

/** What the WorkloadEntries of one kind of machine have in common. */
export interface WorkloadGroup {
  readonly meta: ObjectMeta
  readonly labels: Labels
  readonly annotations: Labels
  readonly template: WorkloadSpec
}

/** How clients secure their connections. */
export type TlsSettingsMode = "DISABLE" | "SIMPLE" | "MUTUAL" | "ISTIO_MUTUAL"

/** The parts of a traffic policy that bear on endpoints; undefined = not said. */
export interface TrafficPolicy {
  readonly tlsMode: TlsSettingsMode | undefined
  readonly outlierDetection: { readonly minHealthPercent: number } | undefined
  readonly localityLbSetting: LocalityLbSetting | undefined
  /** whether `loadBalancer` was given at all: a subset's replaces the rule's as a whole */
  readonly hasLoadBalancer: boolean
  /** `loadBalancer.simple: PASSTHROUGH`: the client's own destination, so there is nothing to discover */
  readonly passthrough?: boolean
  readonly portLevelSettings: ReadonlyArray<{ readonly port: number; readonly policy: TrafficPolicy }>
}

/** Some of the endpoints of a host, by their labels. */
export interface Subset {
  readonly name: string
  readonly labels: Labels
  readonly trafficPolicy: TrafficPolicy | undefined
}

/** How clients treat a host's endpoints. */
export interface DestinationRule {
  readonly meta: ObjectMeta
  readonly host: string
  readonly exportTo: ReadonlyArray<string>
  readonly workloadSelector: Labels | undefined
  readonly trafficPolicy: TrafficPolicy | undefined
  readonly subsets: ReadonlyArray<Subset>
}

/** Where requests for some hosts go; discovery reads only which hosts that are. */
export interface VirtualService {
  readonly meta: ObjectMeta
  readonly hosts: ReadonlyArray<string>
  readonly gateways: ReadonlyArray<string>
  readonly exportTo: ReadonlyArray<string>
  /** every host that a route or mirror of its own sends to */
  readonly destinations: ReadonlyArray<RouteDestination>
  /** VirtualServices without hosts that it takes routes from */
  readonly delegates?: ReadonlyArray<{
    readonly namespace: string
    readonly name: string
    readonly sourceNamespaces?: ReadonlyArray<string>
  }>
}

/** A host that a VirtualService sends to. */
export interface RouteDestination {
  readonly host: string
  /** 0 = any */
  readonly port: number
  /** clients' namespaces that the route matches; undefined = all */
  readonly sourceNamespaces?: ReadonlyArray<string>
}

/** Hosts that a Sidecar lets its workloads see, for all ports or for one. */
export interface SidecarEgress {
  /** `namespace/host` with `.`, `*`, `~` as namespace */
  readonly hosts: ReadonlyArray<string>
  /** undefined = all ports */
  readonly port: { readonly number: number; readonly name: string; readonly protocol: string } | undefined
}

/** What some workloads need to know of the mesh. */
export interface Sidecar {
  readonly meta: ObjectMeta
  /** undefined = the whole namespace */
  readonly workloadSelector: Labels | undefined
  readonly egress: ReadonlyArray<SidecarEgress>
}

/** What servers demand of connections; UNSET inherits. */
export type MutualTlsMode = "UNSET" | "DISABLE" | "PERMISSIVE" | "STRICT"

/** Whether workloads accept, or demand, mutual TLS. */
export interface PeerAuthentication {
  readonly meta: ObjectMeta
  readonly selector: Labels | undefined
  readonly mtls: MutualTlsMode
  readonly portLevelMtls: Readonly<Record<number, MutualTlsMode>>
}

/** What a gateway of the mesh listens to. */
export interface Gateway {
  readonly meta: ObjectMeta
  readonly selector: Labels
  readonly servers: ReadonlyArray<{
    readonly port: { readonly number: number; readonly name: string; readonly protocol: string }
    readonly hosts: ReadonlyArray<string>
    readonly tlsMode: string
  }>
}
