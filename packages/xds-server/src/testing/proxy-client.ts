/** Proxies that only say who and how they are, and someone who follows them. */
import * as grpc from "@grpc/grpc-js"
import {
  type AuthenticationError,
  type HealthReport,
  type ProxyConnection,
  XdsGenerators
} from "@istiod-lite/model"
import {
  DeltaDiscoveryRequest,
  DiscoveryRequest,
  healthInformationTypeUrl,
  type Node
} from "@istiod-lite/xds-proto"
import { Deferred, Effect, Layer, Queue } from "effect"
import { XdsServer, type XdsServerOptions } from "../xds-server.ts"

const identity = (bytes: Buffer): Buffer => bytes
const node: Node = {
  id: "sidecar~192.0.2.7~vm-7.shop~shop.svc.cluster.local",
  cluster: "",
  dynamicParameters: {},
  userAgentName: "",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
}

/** The methods of ADS. */
export type Method = "StreamAggregatedResources" | "DeltaAggregatedResources"

/** A stream of one method that knows how to say who it is and how it is. */
export const connect = (
  method: Method,
  {
    credentials = grpc.credentials.createInsecure(),
    port,
    token
  }: { readonly port: number; readonly credentials?: grpc.ChannelCredentials; readonly token?: string }
) =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new grpc.Client(`127.0.0.1:${port}`, credentials)),
      (client) => Effect.sync(() => client.close())
    )
    const metadata = new grpc.Metadata()
    if (token !== undefined) metadata.set("authorization", `Bearer ${token}`)
    const path = `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`
    const call = client.makeBidiStreamRequest(path, identity, identity, metadata)
    const status = yield* Deferred.make<grpc.StatusObject>()
    call.on("data", () => undefined)
    call.on("error", () => undefined)
    call.on("status", (end) => void Deferred.doneUnsafe(status, Effect.succeed(end)))
    const ask = (typeUrl: string, error?: string): void => {
      const errorDetail = error === undefined ? undefined : { code: 3, message: error, details: [] }
      const common = { node, typeUrl, responseNonce: "", errorDetail }
      const bytes =
        method === "StreamAggregatedResources"
          ? DiscoveryRequest.encode({ ...common, versionInfo: "", resourceNames: [], resourceLocators: [] })
          : DeltaDiscoveryRequest.encode({
              ...common,
              resourceNamesSubscribe: [],
              resourceNamesUnsubscribe: [],
              resourceLocatorsSubscribe: [],
              resourceLocatorsUnsubscribe: [],
              initialResourceVersions: {}
            })
      call.write(Buffer.from(bytes.finish()))
    }
    const report = (error?: string): void => ask(healthInformationTypeUrl, error)
    return { ask, report, cancel: () => call.cancel(), ended: Deferred.await(status) }
  })

/** What a lifecycle is told. */
export type Told = readonly [event: string, connection: ProxyConnection, report?: HealthReport]

/** Notes all that is told of proxies, apart from each other those let in and those not; `connected` ends with what is given. */
export const listening = (connected: Effect.Effect<void, AuthenticationError> = Effect.void) =>
  Effect.map(
    Effect.all([Queue.unbounded<Told>(), Queue.unbounded<AuthenticationError>()]),
    ([told, refused]) => ({
      told,
      refused,
      next: Queue.take(told),
      lifecycle: {
        connected: (connection: ProxyConnection) => {
          Queue.offerUnsafe(told, ["connected", connection])
          return connected
        },
        reported: (connection: ProxyConnection, report: HealthReport) => {
          Queue.offerUnsafe(told, ["reported", connection, report])
        },
        disconnected: (connection: ProxyConnection) => {
          Queue.offerUnsafe(told, ["disconnected", connection])
        },
        refused: (refusal: AuthenticationError) => {
          Queue.offerUnsafe(refused, refusal)
        }
      }
    })
  )

/** A server on a free port that serves no resources. */
export const served = (options: Partial<XdsServerOptions> = {}) =>
  XdsServer.layer({ port: 0, ...options }).pipe(Layer.provide(Layer.succeed(XdsGenerators, [])))

/** The port of the server. */
export const port = Effect.map(XdsServer, ({ address }) => address.port)
