import {
  type AuthenticationError,
  type ConnectedProxy,
  type HealthReport,
  type NodeIdentity,
  parseProxy,
  type Proxy,
  type ProxyConnection,
  type XdsResource
} from "@istiod-lite/model"
import {
  clusterTypeUrl,
  endpointTypeUrl,
  healthInformationTypeUrl,
  lbEndpointTypeUrl,
  type Node
} from "@istiod-lite/xds-proto"
import type { Acknowledgement } from "./acknowledgement.ts"
import type { AdsContext, ServedType, Subscriber } from "./ads-context.ts"
import type { Behind } from "./behind-alarm.ts"
import type { ConnectionInfo } from "./connection-info.ts"
import type { StreamName } from "./observer.ts"
import { Outstanding } from "./outstanding.ts"
import { printable } from "./printable.ts"
import type { Protocol, RequestHead, RequestSession } from "./protocol.ts"
import { StreamCode, type XdsConnection, type XdsStreamHandler } from "./transport.ts"
import type { Work } from "./turns.ts"
import type { Answer } from "./type-session.ts"

/** Types whose resources a client does not use before it has got the other type's again (S-84). */
const warmedBy: ReadonlyMap<string, string> = new Map([
  [clusterTypeUrl, endpointTypeUrl],
  [endpointTypeUrl, lbEndpointTypeUrl]
])

/** Types that are not served are noted once each, and only so many per stream: their names are the client's choice. */
const unknownTypesNoted = 16

/** A type that a stream subscribes to. */
interface Subscription<Request extends RequestHead> {
  readonly typeUrl: string
  readonly type: ServedType
  readonly session: RequestSession<Request>
  readonly outstanding: Outstanding
}

/**
 * One ADS stream: requests in, responses out, one at a time.
 *
 * Requests and pushes only mark what is owed; `flush` looks it up when the client can take it. So a client that reads
 * slowly, or never, costs the names it is owed and one message, and a push never waits for it (S-83).
 */
export class AdsStream<Request extends RequestHead> implements Subscriber, Work, XdsStreamHandler {
  /** in push order */
  private subscriptions: ReadonlyArray<Subscription<Request>> = []
  private readonly unknownTypes = new Set<string>()
  /** types that are not asked for yet, whose parents' type has been sent */
  private readonly unwarmed = new Set<string>()
  private name: StreamName
  /** what the node says of itself, from the first request on */
  private self: Proxy | undefined
  /** what the generators see; undefined until the node is accepted */
  private proxy: ConnectedProxy | undefined
  /** what is told of it to those who follow proxies, from when they have been told that it is there */
  private followed: ProxyConnection | undefined
  /** the last report that came before it was accepted */
  private report: HealthReport | undefined
  /** the push that the response counts for which is being written */
  private writing: number | "late" | undefined
  /** Something is owed that goes first, so the stream's turn does, too. */
  private hurries = false
  /** What is sent next waited for the client, not for this server. */
  private isLate = false
  private closed = false
  /** since when a push is owed, in epoch milliseconds */
  private owedSince: number | undefined
  private sentForPush = false
  private readonly connectedAt: number
  private readonly connection: XdsConnection
  private readonly protocol: Protocol<Request>
  private readonly read: (message: Uint8Array) => Request
  private readonly context: AdsContext
  private readonly ended: () => void

  /** `ended` is called once, when the stream is gone. */
  constructor(
    connection: XdsConnection,
    protocol: Protocol<Request>,
    context: AdsContext,
    ended: () => void
  ) {
    this.connection = connection
    this.protocol = protocol
    this.read = protocol.reader(context.names)
    this.context = context
    this.ended = ended
    // Whole, as it is written into objects: it has to be the same when it is read from there.
    this.connectedAt = Math.floor(context.now())
    this.name = { peer: connection.peer.address, node: "", protocol: protocol.name }
    context.observer.opened(this.name)
  }

  onMessage(message: Uint8Array): void {
    if (this.closed) return
    let request: Request
    try {
      request = this.read(message)
    } catch (cause) {
      return this.reject(`Cannot read the request: ${messageOf(cause)}`)
    }
    try {
      this.serve(request)
    } catch (cause) {
      // A fault of ours: it ends this stream, not the process.
      this.reject(`Cannot serve the request: ${messageOf(cause)}`, StreamCode.internal)
    }
  }

  onClose(): void {
    if (this.closed) return
    this.closed = true
    for (const { session, type } of this.subscriptions) {
      session.close()
      type.interest.setWildcard(this, false)
    }
    if (typeof this.writing === "number") this.context.writeEnded(this.writing)
    this.context.observer.closed(this.name)
    this.ended()
    if (this.followed !== undefined) this.context.disconnected(this.followed)
  }

  /** Ends the stream because the server goes away; the client is expected to connect elsewhere. */
  drain(): void {
    this.connection.close({ code: StreamCode.unavailable, details: "draining" })
  }

  markChanged(typeUrl: string, names: ReadonlyArray<string> | "all"): void {
    this.sessionOf(typeUrl)?.markChanged(names)
  }

  markFirst(typeUrl: string, names: ReadonlyArray<string>): void {
    const session = this.sessionOf(typeUrl)
    if (session === undefined) return
    session.markFirst(names)
    if (session.owesFirst) this.hurries = true
  }

  /** Whether one of these means this proxy: its node id, `name.namespace`, or one of its addresses. */
  isOneOf(proxies: ReadonlySet<string>): boolean {
    const { self } = this
    if (self === undefined || proxies.size === 0) return false
    return (
      proxies.has(self.id) ||
      proxies.has(`${self.name}.${self.namespace}`) ||
      self.ips.some((ip) => proxies.has(ip))
    )
  }

  /** Looks at the proxy anew. All that it has may have changed: generators may see more of it than the resolver. */
  resolve(): void {
    if (this.self === undefined || this.proxy === undefined) return
    this.proxy = this.context.resolve(this.self)
    for (const { session } of this.subscriptions) session.markChanged("all")
  }

  flush(since?: number): void {
    if (since !== undefined) this.owedSince = Math.min(since, this.owedSince ?? since)
    if (this.writing === undefined) this.isLate = false
    this.goOn()
  }

  /** Takes a turn if there is something to send and the client can take it; most ACKs leave nothing. */
  private goOn(): void {
    if (this.writing !== undefined || this.closed) return
    if (this.nextOwing() === undefined) this.settle()
    else this.context.turns.run(this, this.hurries)
  }

  /** Sends what is owed now, as far as the client takes it. */
  run(): void {
    try {
      this.sendOwed()
    } catch (cause) {
      // A fault of ours: it ends this stream, not the process.
      this.reject(`Cannot serve the stream: ${messageOf(cause)}`, StreamCode.internal)
    }
  }

  private sendOwed(): void {
    if (!this.context.serves() || this.proxy === undefined) return
    while (this.writing === undefined && !this.closed) {
      const next = this.nextOwing()
      if (next === undefined) return this.settle()
      const { session } = next
      const generated = this.generate(next, session.wanted(), this.proxy)
      if (generated === undefined) {
        session.skip()
        continue
      }
      if (session.owesFirst) this.hurries = false
      const answer = session.respond(generated)
      if (answer !== undefined) this.send(next, answer)
    }
  }

  /**
   * Since when it does not know what it should, in epoch milliseconds: a change is owed, on its way, not acknowledged, or
   * refused. undefined: it has acknowledged all.
   */
  get behindSince(): number | undefined {
    let oldest = this.owedSince
    for (const { outstanding } of this.subscriptions) {
      const { since } = outstanding
      if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since
    }
    return oldest
  }

  /** What it is behind with, if it is. */
  behind(): Behind | undefined {
    const since = this.behindSince
    if (since === undefined) return undefined
    const refused = this.subscriptions.find(({ session: { acknowledgement } }) => isRefused(acknowledgement))
    const why =
      refused !== undefined
        ? `it refused ${shortTypeOf(refused.typeUrl)}: ${printable(refused.session.acknowledgement.refused?.message ?? "")}`
        : this.writing !== undefined
          ? "it does not read what it is sent"
          : "it reads, but does not answer"
    return { stream: this.name, since, why }
  }

  info(): ConnectionInfo {
    return {
      node: this.name.node,
      proxy: this.proxy,
      peer: this.name.peer,
      protocol: this.protocol.name,
      connectedAt: this.connectedAt,
      writing: this.writing !== undefined,
      behindSince: this.behindSince,
      subscriptions: this.subscriptions.map(({ session, typeUrl }) => ({
        typeUrl,
        names: session.names.size,
        wildcard: session.wildcard,
        subscribed: session.names,
        versions: session.held,
        owes: session.owes,
        ...session.acknowledgement
      }))
    }
  }

  private serve(request: Request): void {
    if (this.self === undefined && !this.identify(request.node)) return
    if (request.typeUrl === "") return this.reject("Cannot serve the request: type_url is empty")
    this.take(request)
    this.flush()
  }

  /** Takes the node of the first request; false if the stream ends here. */
  private identify(node: Node | undefined): boolean {
    if (node === undefined) {
      this.reject("Cannot serve the stream: its first request must say in `node` who sends it")
      return false
    }
    const identity: NodeIdentity = { id: node.id, metadata: node.metadata ?? {}, locality: node.locality }
    const self = parseProxy(identity)
    this.self = self
    this.name = { ...this.name, node: node.id }
    const { connectedAt, connection } = this
    this.context.admit(
      { peer: connection.peer, node: identity, proxy: self, connectedAt },
      {
        begun: (followed) => this.follow(followed),
        done: (refusal) => this.admitted(self, refusal)
      }
    )
    return !this.closed
  }

  private follow(followed: ProxyConnection): boolean {
    if (this.closed) return false
    this.followed = followed
    return true
  }

  private admitted(self: Proxy, refusal: AuthenticationError | undefined): void {
    if (this.closed) return
    if (refusal !== undefined) return this.reject(refusal.message, StreamCode.permissionDenied)
    this.proxy = this.context.resolve(self)
    if (this.report !== undefined) this.takeReport(this.report)
    this.flush()
  }

  private takeReport(report: HealthReport): void {
    if (this.proxy === undefined || this.followed === undefined) this.report = report
    else this.context.reported(this.followed, report)
  }

  private take(request: Request): void {
    const { errorDetail, typeUrl } = request
    if (typeUrl === healthInformationTypeUrl) {
      // Istio's agents report by what is an ACK or a NACK of nothing; it is owed no answer (S-80).
      const report = { healthy: errorDetail === undefined, message: errorDetail?.message ?? "" }
      return this.takeReport(report)
    }
    const type = this.context.types.get(typeUrl)
    if (type === undefined) return this.noteUnknown(typeUrl)
    const session = this.sessionOf(typeUrl) ?? this.begin(typeUrl, type)
    const kind = session.onRequest(request, this.context.now())
    if (this.unwarmed.delete(typeUrl)) session.parentSent(session.names)
    type.interest.setWildcard(this, session.wildcard)
    this.context.observer.received(this.name, typeUrl, kind)
    if (errorDetail === undefined) this.acknowledged(typeUrl, request.responseNonce)
    if (errorDetail !== undefined && kind === "nack") {
      this.context.observer.refused(this.name, typeUrl, errorDetail.message)
    }
  }

  private acknowledged(typeUrl: string, nonce: string): void {
    const since = this.subscriptionOf(typeUrl)?.outstanding.acknowledged(nonce)
    if (since !== undefined) this.context.observer.acknowledged(this.name, this.context.now() - since)
  }

  private begin(typeUrl: string, type: ServedType): RequestSession<Request> {
    const session = this.protocol.session(type.generator.allResourcesRequired, type.interest.listenerOf(this))
    const begun = [...this.subscriptions, { typeUrl, type, session, outstanding: new Outstanding() }]
    this.subscriptions = begun.toSorted((a, b) => a.type.generator.order - b.type.generator.order)
    return session
  }

  /** There are a handful at most. */
  private subscriptionOf(typeUrl: string): Subscription<Request> | undefined {
    return this.subscriptions.find((subscription) => subscription.typeUrl === typeUrl)
  }

  private sessionOf(typeUrl: string): RequestSession<Request> | undefined {
    return this.subscriptionOf(typeUrl)?.session
  }

  private noteUnknown(typeUrl: string): void {
    if (this.unknownTypes.size >= unknownTypesNoted || this.unknownTypes.has(typeUrl)) return
    this.unknownTypes.add(typeUrl)
    this.context.observer.unknownType(this.name, typeUrl)
  }

  private nextOwing(): Subscription<Request> | undefined {
    return this.subscriptions.find(({ session }) => session.owes)
  }

  private generate(
    { type, typeUrl }: Subscription<Request>,
    names: ReadonlyArray<string>,
    proxy: ConnectedProxy
  ): ReadonlyArray<XdsResource> | undefined {
    try {
      return type.generator.generate(names, proxy, this.protocol.name)
    } catch (cause) {
      this.context.observer.generatorFailed(this.name, typeUrl, cause)
      return undefined
    }
  }

  private send({ outstanding, session, typeUrl }: Subscription<Request>, answer: Answer): void {
    const previous = session.acknowledgement.sent?.nonce
    const frame = this.context.frames.frame(this.protocol.name, typeUrl, answer, previous)
    session.sent({ nonce: frame.nonce, version: frame.version })
    if (this.owedSince !== undefined) outstanding.sent(frame.nonce, this.owedSince)
    const warmed = warmedBy.get(typeUrl)
    if (warmed !== undefined && answer.resources.length > 0) this.warm(warmed, answer)
    const push = this.isLate ? "late" : this.context.writeBegun()
    this.writing = push
    this.sentForPush = true
    this.context.observer.sent(this.name, typeUrl, frame.message.length)
    this.connection.send(frame.message, () => {
      if (this.closed) return
      this.writing = undefined
      this.isLate = true
      this.goOn()
      if (push !== "late") this.context.writeEnded(push)
    })
  }

  /** Notes which resources of a type the client may wait for again, now that it gets this answer of their parents' type. */
  private warm(typeUrl: string, { demanded = [] }: Answer): void {
    const { parentOf } = this.context.types.get(typeUrl)?.generator ?? {}
    if (parentOf !== undefined && demanded.length === 0) return
    const session = this.sessionOf(typeUrl)
    // A client that connects again says what it has of a type before it has taken what it is sent of the parents' type.
    if (session === undefined) return void this.unwarmed.add(typeUrl)
    if (parentOf === undefined) return session.parentSent(session.names)
    const parents = new Set(demanded)
    session.parentSent(new Set([...session.names].filter((name) => parents.has(parentOf(name)))))
  }

  /** Nothing is owed any more. */
  private settle(): void {
    if (this.owedSince !== undefined && this.sentForPush) {
      this.context.observer.converged(this.name, this.context.now() - this.owedSince)
    }
    this.owedSince = undefined
    this.sentForPush = false
    this.hurries = false
  }

  private reject(details: string, code: StreamCode = StreamCode.invalidArgument): void {
    const status = { code, details }
    this.context.observer.rejected(this.name, status)
    this.connection.close(status)
  }
}

const isRefused = ({ refused, sent }: Acknowledgement): boolean =>
  refused !== undefined && refused.nonce === sent?.nonce

/** `ClusterLoadAssignment` of `type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment`. */
const shortTypeOf = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf(".") + 1)

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
