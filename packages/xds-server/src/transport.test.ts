import * as grpc from "@grpc/grpc-js"
import { assert, describe, it } from "@effect/vitest"
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus,
  ServerReflectionRequest,
  ServerReflectionResponse
} from "@istiod-lite/xds-proto"
import { Effect, Queue } from "effect"
import { Serving } from "./serving.ts"
import { grpcMethod } from "./testing/grpc-method.ts"
import { transports } from "./testing/transports.ts"
import type { XdsTransport } from "./transport.ts"

const refuse = () => assert.fail("no ADS stream is expected")

/** A transport that listens and is handed no ADS stream, and a client of it. */
const setup = Effect.fnUntraced(function* (transport: XdsTransport) {
  const serving = new Serving()
  const { port } = yield* transport.listen({ host: "127.0.0.1", port: 0 }, refuse, serving)
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure())),
    (client) => Effect.sync(() => client.close())
  )
  return { client, serving }
})

const health = (name: string) =>
  grpcMethod(`/grpc.health.v1.Health/${name}`, HealthCheckRequest, HealthCheckResponse)

const check = (client: grpc.Client, service: string): Effect.Effect<ServingStatus, grpc.ServiceError> =>
  Effect.callback((resume) => {
    const { path, requestSerialize, responseDeserialize } = health("Check")
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error, response) =>
      resume(error === null ? Effect.succeed(response!.status) : Effect.fail(error))
    )
  })

const watch = (client: grpc.Client, service: string) =>
  Effect.gen(function* () {
    const { path, requestSerialize, responseDeserialize } = health("Watch")
    const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service })
    const states = yield* Queue.unbounded<ServingStatus>()
    call.on("data", ({ status }: HealthCheckResponse) => void Queue.offerUnsafe(states, status))
    call.on("error", () => {})
    yield* Effect.addFinalizer(() => Effect.sync(() => call.cancel()))
    return { next: Queue.take(states) }
  })

const reflect = (
  client: grpc.Client,
  version: string,
  messageRequest: ServerReflectionRequest["messageRequest"]
) =>
  Effect.callback<NonNullable<ServerReflectionResponse["messageResponse"]>, Error>((resume) => {
    const { path, requestSerialize, responseDeserialize } = grpcMethod(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      ServerReflectionRequest,
      ServerReflectionResponse
    )
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize)
    call.on("data", ({ messageResponse }: ServerReflectionResponse) =>
      resume(Effect.succeed(messageResponse!))
    )
    call.on("error", (error: Error) => resume(Effect.fail(error)))
    call.write({ host: "", messageRequest })
    call.end()
  })

describe.each(transports)("the transport %s", (_, makeTransport) => {
  it.live("answers health checks by what the server says of itself", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { client, serving } = yield* setup(makeTransport())
        assert.strictEqual(yield* check(client, ""), ServingStatus.NOT_SERVING)
        const { next } = yield* watch(client, "envoy.service.discovery.v3.AggregatedDiscoveryService")
        assert.strictEqual(yield* next, ServingStatus.NOT_SERVING)
        serving.set(true)
        assert.strictEqual(yield* next, ServingStatus.SERVING)
        assert.strictEqual(yield* check(client, ""), ServingStatus.SERVING)
        const error = yield* Effect.flip(check(client, "no.such.Service"))
        assert.strictEqual(error.code, grpc.status.NOT_FOUND)
        const unknown = yield* watch(client, "no.such.Service")
        assert.strictEqual(yield* unknown.next, ServingStatus.SERVICE_UNKNOWN)
      })
    )
  )

  it.live("describes its services and messages by reflection, in both versions", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { client } = yield* setup(makeTransport())
        for (const version of ["v1", "v1alpha"]) {
          const services = yield* reflect(client, version, { $case: "listServices", value: "" })
          assert.strictEqual(services.$case, "listServicesResponse")
          const file = yield* reflect(client, version, {
            $case: "fileContainingSymbol",
            value: "envoy.service.discovery.v3.AggregatedDiscoveryService"
          })
          assert.strictEqual(file.$case, "fileDescriptorResponse")
        }
      })
    )
  )
})
