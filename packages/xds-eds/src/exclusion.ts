import type { Endpoint, IpMode } from "@istiod-lite/model"

/** Why an endpoint is not sent to a proxy: the facts, for people who want it sent. In the order of S-62, then S-64 … S-67. */
export type ExclusionReason =
  | { readonly _tag: "OtherPort"; readonly wanted: string; readonly actual: string }
  | { readonly _tag: "NotAnIp"; readonly address: string }
  | {
      readonly _tag: "OtherSubset"
      readonly subset: string
      readonly label: string
      readonly wanted: string
      /** undefined = the endpoint has no such label */
      readonly actual: string | undefined
    }
  | { readonly _tag: "OtherNode"; readonly proxyNode: string; readonly node: string }
  | {
      readonly _tag: "NetworkNotRequested"
      readonly requested: ReadonlyArray<string>
      readonly network: string
    }
  | {
      readonly _tag: "OtherCluster"
      /** what keeps the service inside its cluster: mesh settings (S-52), the Service (S-12) or the endpoint's own policy */
      readonly because: "clusterLocal" | "nodeLocal" | "discoverability"
      readonly proxyCluster: string
      readonly cluster: string
    }
  | { readonly _tag: "NoAddress"; readonly network: string }
  | { readonly _tag: "Unhealthy"; readonly because: "switchedOff" | "minHealthPercent" }
  | { readonly _tag: "Terminating" }
  | { readonly _tag: "Draining" }
  | { readonly _tag: "NoGatewayOfFamily"; readonly network: string; readonly ipMode: IpMode }
  | { readonly _tag: "NotMutualTls"; readonly because: "otherNetwork" | "sniDnat"; readonly network: string }
  | { readonly _tag: "AddressTaken"; readonly address: string; readonly winner: Endpoint }
  | { readonly _tag: "NoShare"; readonly from: string; readonly locality: string }

/** An endpoint that the index knows and the assignment leaves out. Nothing is left out without one. */
export interface Exclusion {
  readonly endpoint: Endpoint
  readonly reason: ExclusionReason
}

/** Why an assignment as a whole is empty (S-60). */
export type EmptyReason =
  | { readonly _tag: "UnknownName"; readonly name: string }
  | { readonly _tag: "UnknownService"; readonly hostname: string }
  | { readonly _tag: "UnknownPort"; readonly port: number; readonly ports: ReadonlyArray<number> }
  | { readonly _tag: "ResolvedByDns" }
  | { readonly _tag: "NoEndpoints" }
  | { readonly _tag: "AllExcluded" }
