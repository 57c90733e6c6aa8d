import type { Endpoint } from "@istiod-lite/model"
import { Match } from "effect"
import { hostPort } from "./endpoint-metadata.ts"
import type { Exclusion } from "./exclusion.ts"
import { firstAddress } from "./filter-endpoints.ts"

/** An exclusion in words. */
export interface ExclusionText {
  /** the rule that left it out, as the semantics number it */
  readonly rule: string
  /** a sentence: `10.20.0.2:8080 (pod shop/reviews-2) is terminating` */
  readonly text: string
  /** what to change, in which object and field, for those who want the endpoint sent */
  readonly remedy: string
}

/** Says why an endpoint is not sent, by which rule, and what would change that. */
export const describeExclusion = ({ endpoint, reason }: Exclusion): ExclusionText => {
  const object = objectOf(endpoint)
  const [rule, why, remedy] = Match.valueTags(reason, {
    OtherPort: ({ actual, wanted }): Words => [
      "S-62",
      `serves port name ${quoted(actual)}, the service port is named ${quoted(wanted)}`,
      `give the port the same name in the service and in the endpoint's ports`
    ],
    NotAnIp: ({ address }) => [
      "S-62",
      `has ${quoted(address)} for an address, which is no IP`,
      `set an IP in ${object} spec.address, or resolution DNS in the ServiceEntry`
    ],
    OtherSubset: ({ actual, label, subset, wanted }) => [
      "S-62",
      `is not in subset ${subset}: label ${label} is ${actual === undefined ? "missing" : quoted(actual)}, not ${quoted(wanted)}`,
      `set label ${label}=${wanted} on ${object}, or change spec.subsets of the DestinationRule`
    ],
    OtherNode: ({ node, proxyNode }) => [
      "S-12",
      `is on ${node === "" ? "an unknown node" : `node ${node}`}, and the service is local to the client's node ${quoted(proxyNode)}`,
      `set spec.internalTrafficPolicy: Cluster in the Service`
    ],
    NetworkNotRequested: ({ network, requested }) => [
      "S-62",
      `is in network ${network}, and the client asked for ${requested.join(", ")} only`,
      `add ${network} to REQUESTED_NETWORK_VIEW in the client's node metadata`
    ],
    OtherCluster: ({ because, cluster, proxyCluster }) => [
      clusterRule[because].rule,
      `is in cluster ${quoted(cluster)}, and the service does not leave the client's cluster ${quoted(proxyCluster)}`,
      clusterRule[because].remedy
    ],
    NoAddress: ({ network }) => [
      "D-11",
      `has no address, and no gateway leads to ${network === "" ? "it" : `its network ${network}`}`,
      `set spec.address in ${object}, or add a gateway of its network to the mesh networks`
    ],
    Unhealthy: ({ because }) => [
      "S-62",
      because === "switchedOff"
        ? `is not ready, and unhealthy endpoints are not sent`
        : `is not ready, and outlier detection has a minHealthPercent`,
      because === "switchedOff"
        ? `make ${object} ready, or send unhealthy endpoints`
        : `make ${object} ready, or remove outlierDetection.minHealthPercent from the DestinationRule`
    ],
    Terminating: () => ["S-62", `is terminating`, `wait for its replacement`],
    Draining: () => [
      "S-62",
      `is draining, and the service keeps no persistent sessions`,
      `set label istio.io/persistent-session on the Service to keep sessions until the end`
    ],
    NoGatewayOfFamily: ({ ipMode, network }) => [
      "S-64",
      `is in network ${network}, whose gateways have no ${ipMode} address`,
      `give the gateway of network ${network} an ${ipMode} address`
    ],
    NotMutualTls: ({ because, network }) => [
      because === "sniDnat" ? "S-50" : "S-64",
      because === "sniDnat"
        ? `does not speak mutual TLS, which is all that passes this gateway`
        : `does not speak mutual TLS, without which gateways cannot lead to network ${network}`,
      `inject a sidecar into ${object}, or look at tls.mode of the DestinationRule and at PeerAuthentication`
    ],
    AddressTaken: ({ address, winner }) => [
      "D-17",
      `has the same address, ${address}, as ${objectOf(winner)}, which is sent`,
      `delete ${object}, or give it an address of its own`
    ],
    NoShare: ({ from, locality }) => [
      "S-67",
      `is in locality ${quoted(locality)}, to which clients of ${from} send nothing`,
      `add the locality to localityLbSetting.distribute in the DestinationRule or the mesh configuration`
    ]
  })
  return { rule, text: `${subject(endpoint)} ${why}`, remedy }
}

type Words = readonly [rule: string, why: string, remedy: string]

const clusterRule = {
  clusterLocal: {
    rule: "S-52",
    remedy: `set serviceSettings.clusterLocal: false for the host in the mesh configuration`
  },
  nodeLocal: { rule: "S-12", remedy: `set spec.internalTrafficPolicy: Cluster in the Service` },
  discoverability: {
    rule: "S-62",
    remedy:
      `export the service from its cluster with a ServiceExport; a host of clusterset.local needs a ServiceImport there, ` +
      `too, and is the only one that leaves a cluster with ENABLE_MCS_CLUSTER_LOCAL`
  }
} as const

const quoted = (text: string): string => `"${text}"`

const kindName: Readonly<Record<Endpoint["origin"]["kind"], string>> = {
  Pod: "pod",
  WorkloadEntry: "WorkloadEntry",
  Inline: "ServiceEntry",
  Address: "EndpointSlice"
}

const objectOf = ({ origin: { kind, name, namespace } }: Endpoint): string =>
  `${kindName[kind]} ${namespace}/${name}`

const subject = (endpoint: Endpoint): string => {
  const address = firstAddress(endpoint)
  const where = address === "" ? "an endpoint without address" : hostPort(address, endpoint.port)
  return `${where} (${objectOf(endpoint)})`
}
