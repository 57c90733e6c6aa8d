import type { MethodDefinition } from "@grpc/grpc-js"
import type { MessageCodec } from "../grpc-call.ts"

/** A method as a client of grpc-js calls it, whose messages generated code reads and writes. */
export const grpcMethod = <Request, Response>(
  path: string,
  request: MessageCodec<Request>,
  response: MessageCodec<Response>
): MethodDefinition<Request, Response> => ({
  path,
  requestStream: true,
  responseStream: true,
  requestSerialize: (message) => Buffer.from(request.encode(message).finish()),
  requestDeserialize: (bytes) => request.decode(bytes),
  responseSerialize: (message) => Buffer.from(response.encode(message).finish()),
  responseDeserialize: (bytes) => response.decode(bytes)
})
