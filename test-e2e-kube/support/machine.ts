import * as grpc from "@grpc/grpc-js"
import {
  ClusterLoadAssignment,
  DiscoveryRequest,
  DiscoveryResponse,
  endpointTypeUrl,
  healthInformationTypeUrl,
  type Node
} from "@istiod-lite/xds-proto"
import { eventually } from "../../test-e2e/support/eventually.ts"

/** Who a client says to be, and by what it proves it. */
export interface MachineOptions {
  /** where the control plane is; default 127.0.0.1 */
  readonly host?: string
  readonly port: number
  readonly address: string
  readonly token?: string
  /** TLS, with or without a certificate; default plaintext */
  readonly credentials?: grpc.ChannelCredentials
  /** the WorkloadGroup that it registers in */
  readonly group?: string
  /** whether its agent checks the application's health */
  readonly checksHealth?: boolean
  readonly labels?: Readonly<Record<string, string>>
}

/** A gRPC client that asks for endpoints as Istio's agents do, on a machine or not. */
export interface Machine extends AsyncDisposable {
  readonly ask: (...clusters: ReadonlyArray<string>) => void
  /** `address:port` of a cluster's endpoints as they were told last; undefined: nothing was told */
  readonly endpoints: (cluster: string) => ReadonlyArray<string> | undefined
  /** Waits until a cluster has these endpoints, in any order. Gives the milliseconds that took. */
  readonly until: (cluster: string, endpoints: ReadonlyArray<string>, deadline?: number) => Promise<number>
  /** whether a cluster has ever been told without endpoints since it had some */
  readonly wasEmptied: (cluster: string) => boolean
  /** Reports the application's health; without a message it is well. */
  readonly report: (message?: string) => void
  /** how the stream ended; undefined while it lives */
  readonly end: () => { readonly code: number; readonly details: string } | undefined
  readonly close: () => void
}

const method = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
const bytes = (message: Buffer): Buffer => message

type LbEndpoint = ClusterLoadAssignment["endpoints"][number]["lbEndpoints"][number]

const addressOf = ({ hostIdentifier }: LbEndpoint): string => {
  const address = hostIdentifier?.$case === "endpoint" ? hostIdentifier.value.address?.address : undefined
  if (address?.$case !== "socketAddress") return "no socket address"
  const { address: ip, portSpecifier } = address.value
  return `${ip}:${portSpecifier?.$case === "portValue" ? portSpecifier.value : "?"}`
}

/** Connects; the stream lives until it is closed or disposed. */
export const connectMachine = (options: MachineOptions): Machine => {
  const { address, checksHealth = false, group, host = "127.0.0.1", labels = {}, port, token } = options
  const { credentials = grpc.credentials.createInsecure() } = options
  const client = new grpc.Client(`${host}:${port}`, credentials, {
    "grpc.use_local_subchannel_pool": 1
  })
  const metadata = new grpc.Metadata()
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`)
  const call = client.makeBidiStreamRequest(method, bytes, bytes, metadata)
  const node: Node = {
    id: `sidecar~${address}~vm-${address.replaceAll(".", "-")}.shop~shop.svc.cluster.local`,
    cluster: "",
    metadata: {
      NAMESPACE: "shop",
      INSTANCE_IPS: address,
      CLUSTER_ID: "Kubernetes",
      LABELS: labels,
      ...(group === undefined ? {} : { AUTO_REGISTER_GROUP: group }),
      ...(checksHealth ? { PROXY_CONFIG: { readinessProbe: { httpGet: { port: 8080 } } } } : {})
    },
    dynamicParameters: {},
    userAgentName: "",
    extensions: [],
    clientFeatures: [],
    listeningAddresses: []
  }
  const held = new Map<string, ReadonlyArray<string>>()
  const emptied = new Set<string>()
  let end: { readonly code: number; readonly details: string } | undefined
  let names: ReadonlyArray<string> = []
  const send = (typeUrl: string, parts: Partial<DiscoveryRequest>): void => {
    if (end !== undefined) return
    const request = {
      versionInfo: "",
      node,
      resourceNames: [],
      resourceLocators: [],
      typeUrl,
      responseNonce: ""
    }
    call.write(
      Buffer.from(DiscoveryRequest.encode({ ...request, errorDetail: undefined, ...parts }).finish())
    )
  }
  call.on("data", (message: Buffer) => {
    const { nonce, resources, versionInfo } = DiscoveryResponse.decode(message)
    for (const { value } of resources) {
      const assignment = ClusterLoadAssignment.decode(value)
      const endpoints = assignment.endpoints
        .flatMap(({ lbEndpoints }) => lbEndpoints.map(addressOf))
        .toSorted()
      if (endpoints.length === 0 && (held.get(assignment.clusterName)?.length ?? 0) > 0) {
        emptied.add(assignment.clusterName)
      }
      held.set(assignment.clusterName, endpoints)
    }
    send(endpointTypeUrl, { versionInfo, responseNonce: nonce, resourceNames: [...names] })
  })
  call.on("error", () => undefined)
  call.on("status", ({ code, details }: grpc.StatusObject) => (end = { code, details }))
  const close = (): void => {
    call.cancel()
    client.close()
  }
  return {
    ask: (...clusters) => {
      names = [...names, ...clusters]
      send(endpointTypeUrl, { resourceNames: [...names] })
    },
    endpoints: (cluster) => held.get(cluster),
    until: async (cluster, endpoints, deadline) => {
      const began = performance.now()
      const wanted = endpoints.toSorted().join()
      await eventually(
        `${cluster} has ${wanted || "no endpoints"}`,
        async () => held.get(cluster)?.join() ?? "nothing told",
        (now) => now === wanted,
        deadline
      )
      return performance.now() - began
    },
    wasEmptied: (cluster) => emptied.has(cluster),
    report: (message) =>
      send(
        healthInformationTypeUrl,
        message === undefined ? {} : { errorDetail: { code: 3, message, details: [] } }
      ),
    end: () => end,
    close,
    [Symbol.asyncDispose]: async () => close()
  }
}
