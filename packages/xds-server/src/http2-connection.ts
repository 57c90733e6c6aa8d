import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2"
import { TLSSocket } from "node:tls"
import type { GrpcMethods } from "./grpc-call.ts"
import { httpRefusalOf, parseTimeout } from "./grpc-headers.ts"
import { Http2Call, one, sendStatus } from "./http2-call.ts"
import { peerOf, type PeerFacts } from "./peer.ts"
import { StreamCode, type StreamStatus } from "./transport.ts"
import { Upkeep, type UpkeepLimits } from "./upkeep.ts"

const tooOld: StreamStatus = {
  code: StreamCode.unavailable,
  details: "The connection is as old as connections become: connect again"
}

/** One client's connection with its calls. */
export class Http2Connection {
  private readonly session: ServerHttp2Session
  private readonly methods: GrpcMethods
  private readonly calls = new Set<Http2Call>()
  private readonly upkeep: Upkeep
  private readonly who: Pick<PeerFacts, "address" | "alternativeNames">

  /** `now` in milliseconds */
  constructor(session: ServerHttp2Session, methods: GrpcMethods, limits: UpkeepLimits, now: number) {
    this.session = session
    this.methods = methods
    this.upkeep = new Upkeep(limits, now)
    this.who = factsOf(session)
    session.on("stream", (stream, headers) => this.take(stream, headers))
    // The connection is lost, and its streams are told; to the server that is no error.
    session.on("error", () => undefined)
  }

  /** Does what time demands. */
  tick(now: number): void {
    if (this.session.destroyed) return
    switch (this.upkeep.next(now, this.session.socket.bytesRead)) {
      case "nothing":
        return
      case "ping":
        return void this.session.ping(() => undefined)
      case "goAway":
        return this.leave()
      case "endCalls":
        return this.endCalls(tooOld)
      case "cut":
        return this.cut()
    }
  }

  /** Takes no further calls, and says so; closes when the open ones have ended. */
  leave(): void {
    this.session.close()
  }

  endCalls(status: StreamStatus): void {
    for (const call of this.calls) call.close(status)
  }

  cut(): void {
    this.session.destroy()
  }

  private take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // Told by `close`, which always follows; without a listener it would end the process.
    stream.on("error", () => undefined)
    const refusal = httpRefusalOf(headers)
    if (refusal !== undefined) return refuse(stream, refusal)
    const path = headers[":path"] ?? ""
    const method = this.methods.get(path)
    if (method === undefined) return sendStatus(stream, unknownMethod(path))
    const header = one(headers["grpc-timeout"])
    const timeout = header === undefined ? undefined : parseTimeout(header)
    if (header !== undefined && timeout === undefined) return sendStatus(stream, noTimeout(header))
    const peer = peerOf({ ...this.who, authorization: headers.authorization })
    const call = new Http2Call(stream, headers, timeout, peer, method)
    this.calls.add(call)
    stream.once("close", () => this.calls.delete(call))
  }
}

const factsOf = ({ socket }: ServerHttp2Session): Pick<PeerFacts, "address" | "alternativeNames"> => ({
  address: `${socket.remoteAddress}:${socket.remotePort}`,
  alternativeNames:
    socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate().subjectaltname : undefined
})

/** Answers what is no gRPC call in terms of HTTP. */
const refuse = (stream: ServerHttp2Stream, status: 405 | 415): void => {
  if (stream.destroyed || stream.closed) return
  stream.respond({ ":status": status, ...(status === 405 && { allow: "POST" }) }, { endStream: true })
  stream.close()
}

const unknownMethod = (path: string): StreamStatus => ({
  code: StreamCode.unimplemented,
  details: `This server has no method ${path}`
})

const noTimeout = (header: string): StreamStatus => ({
  code: StreamCode.internal,
  details: `Cannot read grpc-timeout: expected up to 8 digits and a unit: received ${header}`
})
