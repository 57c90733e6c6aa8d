import type { MethodDefinition } from "@grpc/grpc-js"

/** What the generated code offers for each message. */
export interface MessageCodec<T> {
  readonly encode: (message: T) => { readonly finish: () => Uint8Array }
  readonly decode: (bytes: Uint8Array) => T
}

/** The definition of a method whose messages generated code reads and writes; bidirectional or not. */
export const grpcMethod = <Request, Response>(
  path: string,
  request: MessageCodec<Request>,
  response: MessageCodec<Response>,
  streams: { readonly requestStream: boolean; readonly responseStream: boolean }
): MethodDefinition<Request, Response> => ({
  path,
  ...streams,
  requestSerialize: (message) => Buffer.from(request.encode(message).finish()),
  requestDeserialize: (bytes) => request.decode(bytes),
  responseSerialize: (message) => Buffer.from(response.encode(message).finish()),
  responseDeserialize: (bytes) => response.decode(bytes)
})
