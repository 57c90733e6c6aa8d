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
import { maxRequestLength } from "./message-reader.ts"
import { Serving } from "./serving.ts"
import { grpcMethod } from "./testing/grpc-method.ts"
import { accepting, framed, http2Client, type Outcome, outcomeOf } from "./testing/http2-client.ts"
import { transports } from "./testing/transports.ts"
import { StreamCode, type XdsTransport } from "./transport.ts"

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

/** A transport whose ADS streams are accepted and say nothing, and a client that says on HTTP/2 whatever a test wants. */
const rawSetup = Effect.fnUntraced(function* (transport: XdsTransport) {
  const { accept, next } = yield* accepting
  const { port } = yield* transport.listen({ host: "127.0.0.1", port: 0 }, accept, new Serving())
  const client = yield* http2Client(port)
  const request: typeof client.request = (headers) => {
    const stream = client.request(headers)
    // As gRPC's clients do. Not every server resets a stream whose client has more to say.
    stream.once("end", () => stream.end())
    return stream
  }
  return { next, request }
})

/** What the server answers to one message, whatever it makes of it. */
const answerTo = (transport: XdsTransport, bytes: Buffer, headers: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { request } = yield* rawSetup(transport)
    const stream = request(headers)
    stream.write(bytes)
    return yield* outcomeOf(stream)
  }).pipe(Effect.scoped)

/** In trailers, or in the headers if there was nothing else to say. */
const statusOf = ({ headers, trailers }: Outcome): number =>
  Number(trailers["grpc-status"] ?? headers["grpc-status"])

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

  it.live("refuses what is no gRPC by HTTP's own status", () =>
    Effect.gen(function* () {
      const { headers } = yield* answerTo(makeTransport(), framed(""), { "content-type": "application/json" })
      assert.strictEqual(headers[":status"], 415)
    })
  )

  it.live.each(["/no.such.Service/Method", "/grpc.health.v1.Health/NoSuchMethod"])(
    "has no method %s, and says so",
    (path) =>
      Effect.gen(function* () {
        const outcome = yield* answerTo(makeTransport(), framed(""), { ":path": path })
        assert.strictEqual(outcome.headers[":status"], 200)
        assert.strictEqual(statusOf(outcome), StreamCode.unimplemented)
      })
  )

  // Which one it does know is said by http2 alone: grpc-js leaves it out where a status is all there is.
  it.live("refuses a compression that it does not know", () =>
    Effect.gen(function* () {
      const outcome = yield* answerTo(makeTransport(), framed("x", 1), { "grpc-encoding": "snappy" })
      assert.strictEqual(statusOf(outcome), StreamCode.unimplemented)
    })
  )

  it.live("takes the largest message that is allowed, and refuses a larger one", () =>
    Effect.gen(function* () {
      const { next, request } = yield* rawSetup(makeTransport())
      request().write(framed(Buffer.alloc(maxRequestLength, "a")))
      const { messages } = yield* next
      assert.strictEqual((yield* Queue.take(messages)).length, maxRequestLength)
      const stream = request()
      const outcome = outcomeOf(stream)
      stream.write(framed(Buffer.alloc(maxRequestLength + 1, "a")))
      assert.strictEqual(statusOf(yield* outcome), StreamCode.resourceExhausted)
    }).pipe(Effect.scoped)
  )

  it.live("ends a call at its deadline, and tells its method", () =>
    Effect.gen(function* () {
      const { next, request } = yield* rawSetup(makeTransport())
      const stream = request({ "grpc-timeout": "20m" })
      const outcome = outcomeOf(stream)
      const { closed, closes } = yield* next
      assert.strictEqual(statusOf(yield* outcome), StreamCode.deadlineExceeded)
      yield* closed
      assert.strictEqual(closes(), 1)
    }).pipe(Effect.scoped)
  )
})
