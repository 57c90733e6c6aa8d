/** The thread of a crowd: clients that read and acknowledge as fast as they can, and look at nothing else. */
import * as grpc from "@grpc/grpc-js"
import { DiscoveryRequest, DiscoveryResponse, type Node } from "@istiod-lite/xds-proto"
import { parentPort, workerData } from "node:worker_threads"
import type { CrowdNews, CrowdPlan } from "./crowd.ts"

const plan: CrowdPlan = workerData
const { clients, perConnection, port, subscriptions } = plan
const identity = (bytes: Buffer): Buffer => bytes
const tell = (news: CrowdNews): void => parentPort?.postMessage(news, [])

let unserved = clients
let outdated = clients

const nodeOf = (index: number): Node => ({
  id: `sidecar~192.0.2.10~web-${index}.bakery~bakery.svc.cluster.local`,
  cluster: "",
  dynamicParameters: {},
  userAgentName: "crowd",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
})

const request = (typeUrl: string, names: ReadonlyArray<string>, nonce: string, node?: Node): Buffer =>
  Buffer.from(
    DiscoveryRequest.encode({
      node,
      typeUrl,
      versionInfo: nonce,
      resourceNames: names,
      resourceLocators: [],
      responseNonce: nonce
    }).finish()
  )

const join = (connection: grpc.Client, index: number): void => {
  const call = connection.makeBidiStreamRequest(
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
    identity,
    identity
  )
  const missing = new Set(subscriptions.map(({ typeUrl }) => typeUrl))
  let updated = false
  call.on("error", () => {})
  call.on("data", (message: Buffer) => {
    const { nonce, typeUrl } = DiscoveryResponse.decode(message)
    const names = subscriptions.find((one) => one.typeUrl === typeUrl)?.names ?? []
    call.write(request(typeUrl, names, nonce))
    if (missing.delete(typeUrl)) {
      if (missing.size === 0 && --unserved === 0) tell("served")
    } else if (!updated && missing.size === 0) {
      updated = true
      if (--outdated === 0) tell("updated")
    }
  })
  for (const [i, { names, typeUrl }] of subscriptions.entries()) {
    call.write(request(typeUrl, names, "", i === 0 ? nodeOf(index) : undefined))
  }
}

let connection: grpc.Client | undefined
for (let index = 0; index < clients; index++) {
  if (connection === undefined || index % perConnection === 0) {
    connection = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
      "grpc.use_local_subchannel_pool": 1,
      "grpc.max_receive_message_length": -1
    })
  }
  join(connection, index)
}
