import { type GrpcMethod, type GrpcMethods, succeeded } from "./grpc-call.ts"
import { grpcHealth, healthServiceName } from "./grpc-health.ts"
import { grpcReflection } from "./grpc-reflection.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import type { Serving } from "./serving.ts"
import type { XdsConnection, XdsStreamHandler } from "./transport.ts"

const adsService = "envoy.service.discovery.v3.AggregatedDiscoveryService"

type Accept = (connection: XdsConnection) => XdsStreamHandler

/** Hands the calls of one of ADS's methods over as streams. */
const streamsOf =
  (protocol: XdsProtocol, accept: Accept): GrpcMethod =>
  (call) => {
    const stream = accept({ peer: call.peer, protocol, send: call.send, close: call.close })
    return {
      onMessage: (message) => stream.onMessage(message),
      onEnd: () => call.close(succeeded),
      onClose: () => stream.onClose()
    }
  }

/** ADS with its two methods, the standard health service, and server reflection: what every transport serves. */
export const grpcMethods = (accept: Accept, serving: Serving): GrpcMethods =>
  new Map([
    [`/${adsService}/StreamAggregatedResources`, streamsOf("sotw", accept)],
    [`/${adsService}/DeltaAggregatedResources`, streamsOf("delta", accept)],
    ...grpcHealth([adsService], serving),
    ...grpcReflection([adsService, healthServiceName])
  ])
