import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus
} from "@istiod-lite/xds-proto"
import { encoded, type GrpcCall, type GrpcMethod, type GrpcMethods, reading, succeeded } from "./grpc-call.ts"
import type { Serving } from "./serving.ts"
import { StreamCode } from "./transport.ts"

/** The full name of the standard health service. */
export const healthServiceName = "grpc.health.v1.Health"

const nothing = (): void => undefined

const tell = (call: GrpcCall, status: ServingStatus): void =>
  call.send(encoded(HealthCheckResponse, { status }), nothing)

/**
 * The standard health service for the whole server (the empty name) and each of `services`.
 *
 * Own code: the library grpc-health-check reads its .proto file from disk, which a bundled program does not have.
 * Source: grpc/health/v1/health.proto.
 */
export const grpcHealth = (services: ReadonlyArray<string>, serving: Serving): GrpcMethods => {
  const knows = (service: string): boolean => service === "" || services.includes(service)
  const status = (): ServingStatus => (serving.now ? ServingStatus.SERVING : ServingStatus.NOT_SERVING)

  const check: GrpcMethod = (call) => ({
    onMessage: reading(HealthCheckRequest, call, ({ service }) => {
      if (!knows(service)) {
        return call.close({ code: StreamCode.notFound, details: `This server has no service ${service}` })
      }
      tell(call, status())
      call.close(succeeded)
    }),
    onEnd: () => call.close(noRequest),
    onClose: nothing
  })

  const watch: GrpcMethod = (call) => {
    let isAsked = false
    let endWatch = nothing
    return {
      onMessage: reading(HealthCheckRequest, call, ({ service }) => {
        if (isAsked) return
        isAsked = true
        // The protocol wants the stream to stay open: the service may appear.
        if (!knows(service)) return tell(call, ServingStatus.SERVICE_UNKNOWN)
        tell(call, status())
        endWatch = serving.onChange(() => tell(call, status()))
      }),
      onEnd: () => {
        if (!isAsked) call.close(noRequest)
      },
      onClose: () => endWatch()
    }
  }

  return new Map([
    [`/${healthServiceName}/Check`, check],
    [`/${healthServiceName}/Watch`, watch]
  ])
}

const noRequest = { code: StreamCode.internal, details: "Cannot answer: the call has no request" }
