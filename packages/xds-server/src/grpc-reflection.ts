import { reflect, ServerReflectionRequest, ServerReflectionResponse } from "@istiod-lite/xds-proto"
import { encoded, type GrpcMethod, type GrpcMethods, reading, succeeded } from "./grpc-call.ts"

/** Both published versions: the messages are the same, older clients ask for v1alpha. */
const names = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]

/**
 * Server reflection, so that generic clients such as grpcurl can call this server without .proto files.
 *
 * Own code: the library @grpc/reflection reads .proto files from disk, which a bundled program does not have; all
 * that is protobuf is done by the descriptors of xds-proto.
 */
export const grpcReflection = (services: ReadonlyArray<string>): GrpcMethods => {
  const listed = [...services, ...names].toSorted()
  const serverReflectionInfo: GrpcMethod = (call) => ({
    onMessage: reading(ServerReflectionRequest, call, (request) => {
      // Descriptors are large: who does not read them gets no more.
      call.pause()
      call.send(encoded(ServerReflectionResponse, reflect(request, listed)), () => call.resume())
    }),
    onEnd: () => call.close(succeeded),
    onClose: () => undefined
  })
  return new Map(names.map((name) => [`/${name}/ServerReflectionInfo`, serverReflectionInfo]))
}
