import { request as requestHttp } from "node:http"
import { connect as connectHttp2, constants } from "node:http2"
import { request as requestHttps } from "node:https"
import { connect } from "node:net"
import type { Probe, ProbeTarget } from "./probe.ts"

type Target<K extends ProbeTarget["kind"]> = Extract<ProbeTarget, { readonly kind: K }>

/** Probes an address once: undefined is a success, text says what failed. Never rejects. */
export const runProbe = async (address: string, { target, timeout }: Probe): Promise<string | undefined> => {
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(), timeout)
  try {
    if (target.kind === "http") await askHttp(address, target, giveUp.signal)
    else if (target.kind === "tcp") await askTcp(address, target, giveUp.signal)
    else await askGrpc(address, target, giveUp.signal)
    return undefined
  } catch (cause) {
    if (giveUp.signal.aborted) return `no answer within ${timeout} ms`
    return cause instanceof Error ? cause.message : String(cause)
  } finally {
    clearTimeout(timer)
    giveUp.abort()
  }
}

/** Statuses from 200 to 399 are a success, as for Kubernetes; its probes verify no certificates either. */
const askHttp = (
  address: string,
  { headers, host = address, https, path, port }: Target<"http">,
  signal: AbortSignal
): Promise<void> =>
  new Promise((done, fail) => {
    const options = { host, port, path, headers, signal, rejectUnauthorized: false, agent: false } as const
    const sent = (https ? requestHttps : requestHttp)(options, (response) => {
      const { statusCode = 0 } = response
      response.resume()
      if (statusCode >= 200 && statusCode < 400) done()
      else fail(new Error(`HTTP status ${statusCode}`))
    })
    sent.on("error", fail)
    sent.end()
  })

const askTcp = (host: string, { port }: Target<"tcp">, signal: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    const socket = connect({ host, port, signal }, done)
    socket.on("error", fail)
    signal.addEventListener("abort", () => socket.destroy())
  })

/** One call of grpc.health.v1.Health/Check, over HTTP/2 without TLS. */
const askGrpc = (address: string, { port, service }: Target<"grpc">, signal: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    const host = address.includes(":") ? `[${address}]` : address
    const session = connectHttp2(`http://${host}:${port}`)
    signal.addEventListener("abort", () => {
      session.destroy()
      fail(new Error("aborted"))
    })
    session.on("error", fail)
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers"
    })
    let status = "missing"
    let body = Buffer.alloc(0)
    const note = (headers: { readonly "grpc-status"?: string | Array<string> | undefined }): void => {
      status = String(headers["grpc-status"] ?? status)
    }
    stream.on("response", note)
    stream.on("trailers", note)
    stream.on("data", (part: Buffer) => (body = Buffer.concat([body, part])))
    stream.on("error", fail)
    stream.on("end", () => {
      if (status !== "0") fail(new Error(`gRPC status ${status}`))
      else if (servingStatus(body) === serving) done()
      else fail(new Error(`gRPC health: serving status ${servingStatus(body)}`))
    })
    stream.end(healthCheckRequest(service))
  })

/** A HealthCheckRequest in a gRPC frame (grpc.health.v1; gRPC over HTTP/2, "Length-Prefixed-Message"). */
const healthCheckRequest = (service: string): Buffer => {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** SERVING of a HealthCheckResponse. */
const serving = 1

/** Field 1 of the HealthCheckResponse in a gRPC frame; 0 if it is left out. */
const servingStatus = (frame: Buffer): number => (frame[5] === 0x08 ? (frame[6] ?? 0) : 0)
