import * as grpc from "@grpc/grpc-js"
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus
} from "@istiod-lite/xds-proto"
import { grpcMethod } from "./grpc-message.ts"
import type { Serving } from "./serving.ts"

/** The full name of the standard health service. */
export const healthServiceName = "grpc.health.v1.Health"

const definition = {
  Check: grpcMethod(`/${healthServiceName}/Check`, HealthCheckRequest, HealthCheckResponse, {
    requestStream: false,
    responseStream: false
  }),
  Watch: grpcMethod(`/${healthServiceName}/Watch`, HealthCheckRequest, HealthCheckResponse, {
    requestStream: false,
    responseStream: true
  })
}

/**
 * The standard health service for the whole server (the empty name) and each of `services`.
 *
 * Own code: the library grpc-health-check reads its .proto file from disk, which a bundled program does not have.
 * Source: grpc/health/v1/health.proto.
 */
export const addGrpcHealth = (
  server: grpc.Server,
  services: ReadonlyArray<string>,
  serving: Serving
): void => {
  const knows = (service: string): boolean => service === "" || services.includes(service)
  const status = (): HealthCheckResponse => ({
    status: serving.now ? ServingStatus.SERVING : ServingStatus.NOT_SERVING
  })
  server.addService(definition, {
    Check: (
      call: grpc.ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
      callback: grpc.sendUnaryData<HealthCheckResponse>
    ) => {
      const { service } = call.request
      if (knows(service)) return callback(null, status())
      callback({ code: grpc.status.NOT_FOUND, details: `This server has no service ${service}` })
    },
    Watch: (call: grpc.ServerWritableStream<HealthCheckRequest, HealthCheckResponse>) => {
      // The protocol wants the stream to stay open: the service may appear.
      if (!knows(call.request.service)) {
        call.write({ status: ServingStatus.SERVICE_UNKNOWN })
        return
      }
      const tell = (): void => void call.write(status())
      tell()
      call.on("close", serving.onChange(tell))
    }
  })
}
