import type * as grpc from "@grpc/grpc-js"
import { reflect, ServerReflectionRequest, ServerReflectionResponse } from "@istiod-lite/xds-proto"
import { grpcMethod } from "./grpc-message.ts"

/** Both published versions: the messages are the same, older clients ask for v1alpha. */
const names = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]

/**
 * Server reflection, so that generic clients such as grpcurl can call this server without .proto files.
 *
 * Own code: the library @grpc/reflection reads .proto files from disk, which a bundled program does not have; all
 * that is protobuf is done by the descriptors of xds-proto.
 */
export const addGrpcReflection = (
  server: Pick<grpc.Server, "addService">,
  services: ReadonlyArray<string>
): void => {
  const listed = [...services, ...names].toSorted()
  for (const name of names) {
    const definition = {
      ServerReflectionInfo: grpcMethod(
        `/${name}/ServerReflectionInfo`,
        ServerReflectionRequest,
        ServerReflectionResponse,
        { requestStream: true, responseStream: true }
      )
    }
    server.addService(definition, {
      ServerReflectionInfo: (
        call: grpc.ServerDuplexStream<ServerReflectionRequest, ServerReflectionResponse>
      ) => {
        // Descriptors are large: who does not read them gets no more.
        call.on("data", (request: ServerReflectionRequest) => {
          if (call.write(reflect(request, listed))) return
          call.pause()
          call.once("drain", () => call.resume())
        })
        call.on("end", () => call.end())
      }
    })
  }
}
