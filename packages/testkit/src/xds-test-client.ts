import * as grpc from "@grpc/grpc-js"
import { clusterTypeUrl, listenerTypeUrl, type Node } from "@istiod-lite/xds-proto"
import { Cause, Data, Deferred, Effect, Queue, type Scope } from "effect"
import {
  deltaTestProtocol,
  type ReceivedResource,
  type ReceivedResponse,
  sotwTestProtocol,
  type TestRequest
} from "./xds-test-protocol.ts"

/** How a scripted client connects. */
export interface XdsTestClientOptions {
  readonly port: number
  /** default 127.0.0.1 */
  readonly host?: string
  /** the node id, or what of the node matters; sent with the first request only, as clients do */
  readonly node: string | (Partial<Node> & Pick<Node, "id">)
  /** incremental instead of state-of-the-world */
  readonly delta?: boolean
  /** Accept every response at once; default true. Without it use `ack` and `nack`. */
  readonly autoAck?: boolean
  /** Clients of one process share a connection to the same server, unless they want their own. Default: false. */
  readonly ownConnection?: boolean
}

/** The stream ended while a test waited for a response. */
export class XdsStreamEnded extends Data.TaggedError("XdsStreamEnded")<{
  /** gRPC status code */
  readonly code: number
  readonly details: string
}> {
  override get message(): string {
    return `The xDS stream ended with code ${this.code}: ${this.details}`
  }
}

/** A scripted xDS client: does what a test says, and keeps what it was sent. */
export interface XdsTestClient {
  /**
   * Asks for names beside those asked for already; none at all asks for everything (wildcard types).
   * `initialVersions` is what a delta client has from an earlier stream.
   */
  readonly subscribe: (
    typeUrl: string,
    names: ReadonlyArray<string>,
    initialVersions?: Readonly<Record<string, string>>
  ) => Effect.Effect<void>
  readonly unsubscribe: (typeUrl: string, names: ReadonlyArray<string>) => Effect.Effect<void>
  /** Sends the subscription of a type as it is once more, as a client that warms clusters does. */
  readonly askAgain: (typeUrl: string) => Effect.Effect<void>
  /** The next response of the type that was not taken yet. */
  readonly next: (typeUrl: string) => Effect.Effect<ReceivedResponse, XdsStreamEnded>
  /** Takes responses until the resources that the client has satisfy the condition. */
  readonly waitFor: (
    typeUrl: string,
    condition: (resources: ReadonlyMap<string, ReceivedResource>) => boolean
  ) => Effect.Effect<void, XdsStreamEnded>
  readonly ack: (response: ReceivedResponse) => Effect.Effect<void>
  readonly nack: (response: ReceivedResponse, message: string) => Effect.Effect<void>
  /** What the client has of a type, by name. Responses that were not taken by `next` count too. */
  readonly resources: (typeUrl: string) => ReadonlyMap<string, ReceivedResource>
  /** Responses of the type that arrived and were not taken. */
  readonly waiting: (typeUrl: string) => number
  /** Sends bytes as they are. */
  readonly sendRaw: (message: Uint8Array) => Effect.Effect<void>
  /** Stops and resumes reading, as a slow client does. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** How the stream ended. */
  readonly ended: Effect.Effect<XdsStreamEnded>
}

/** One type as the client sees it. */
interface TypeState {
  readonly names: Set<string>
  readonly resources: Map<string, ReceivedResource>
  readonly responses: Queue.Queue<ReceivedResponse, XdsStreamEnded>
  last: { readonly nonce: string; readonly version: string }
}

const wholeTypes: ReadonlySet<string> = new Set([clusterTypeUrl, listenerTypeUrl])

const identity = (bytes: Buffer): Buffer => bytes

const nodeOf = (node: XdsTestClientOptions["node"]): Node => ({
  cluster: "",
  dynamicParameters: {},
  userAgentName: "xds-test-client",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: [],
  ...(typeof node === "string" ? { id: node } : node)
})

/** Opens a stream that ends with the scope. */
export const connectXdsTestClient = Effect.fnUntraced(function* (
  options: XdsTestClientOptions
): Effect.fn.Return<XdsTestClient, never, Scope.Scope> {
  const protocol = options.delta ? deltaTestProtocol : sotwTestProtocol
  const channel = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new grpc.Client(`${options.host ?? "127.0.0.1"}:${options.port}`, grpc.credentials.createInsecure(), {
          "grpc.use_local_subchannel_pool": options.ownConnection ? 1 : 0
        })
    ),
    (client) => Effect.sync(() => client.close())
  )
  const call = channel.makeBidiStreamRequest(
    `/envoy.service.discovery.v3.AggregatedDiscoveryService/${protocol.method}`,
    identity,
    identity
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => call.cancel()))
  const types = new Map<string, TypeState>()
  const ended = yield* Deferred.make<XdsStreamEnded>()
  let end: XdsStreamEnded | undefined
  let node: Node | undefined = nodeOf(options.node)

  const runSync = Effect.runSyncWith(yield* Effect.context())

  const typeState = (typeUrl: string): TypeState => {
    const known = types.get(typeUrl)
    if (known !== undefined) return known
    const state: TypeState = {
      names: new Set(),
      resources: new Map(),
      responses: runSync(Queue.unbounded<ReceivedResponse, XdsStreamEnded>()),
      last: { nonce: "", version: "" }
    }
    types.set(typeUrl, state)
    if (end !== undefined) Queue.failCauseUnsafe(state.responses, Cause.fail(end))
    return state
  }

  const send = (typeUrl: string, parts: Partial<TestRequest>): void => {
    const { last, names } = typeState(typeUrl)
    const message = protocol.write({
      node,
      typeUrl,
      names: [...names],
      added: [],
      dropped: [],
      initialVersions: {},
      // A delta request carries a nonce only to acknowledge.
      nonce: options.delta ? "" : last.nonce,
      version: last.version,
      ...parts
    })
    node = undefined
    call.write(Buffer.from(message))
  }

  const acknowledge = ({ nonce, typeUrl, version }: ReceivedResponse, refusal?: string): void =>
    send(typeUrl, { nonce, version: refusal === undefined ? version : "", refusal })

  call.on("data", (message: Buffer) => {
    const response = protocol.read(message)
    const state = typeState(response.typeUrl)
    state.last = { nonce: response.nonce, version: response.version }
    // On such streams a response of these types holds all there are.
    if (!options.delta && wholeTypes.has(response.typeUrl)) state.resources.clear()
    for (const resource of response.resources) state.resources.set(resource.name, resource)
    for (const name of response.removed) state.resources.delete(name)
    if (options.autoAck ?? true) acknowledge(response)
    Queue.offerUnsafe(state.responses, response)
  })
  // The status follows; without a listener the error would end the process.
  call.on("error", () => {})
  call.on("status", ({ code, details }: grpc.StatusObject) => {
    end = new XdsStreamEnded({ code, details })
    Deferred.doneUnsafe(ended, Effect.succeed(end))
    for (const { responses } of types.values()) Queue.failCauseUnsafe(responses, Cause.fail(end))
  })

  const next: XdsTestClient["next"] = (typeUrl) => Queue.take(typeState(typeUrl).responses)
  const waitFor: XdsTestClient["waitFor"] = (typeUrl, condition) =>
    Effect.suspend(() =>
      condition(typeState(typeUrl).resources)
        ? Effect.void
        : Effect.andThen(next(typeUrl), waitFor(typeUrl, condition))
    )

  return {
    subscribe: (typeUrl, names, initialVersions = {}) =>
      Effect.sync(() => {
        const state = typeState(typeUrl)
        for (const name of names) state.names.add(name)
        send(typeUrl, { added: names, initialVersions })
      }),
    unsubscribe: (typeUrl, names) =>
      Effect.sync(() => {
        const state = typeState(typeUrl)
        for (const name of names) {
          state.names.delete(name)
          state.resources.delete(name)
        }
        send(typeUrl, { dropped: names })
      }),
    askAgain: (typeUrl) => Effect.sync(() => send(typeUrl, { added: [...typeState(typeUrl).names] })),
    next,
    waitFor,
    ack: (response) => Effect.sync(() => acknowledge(response)),
    nack: (response, message) => Effect.sync(() => acknowledge(response, message)),
    resources: (typeUrl) => typeState(typeUrl).resources,
    waiting: (typeUrl) => Queue.sizeUnsafe(typeState(typeUrl).responses),
    sendRaw: (message) => Effect.sync(() => void call.write(Buffer.from(message))),
    pause: Effect.sync(() => void call.pause()),
    resume: Effect.sync(() => void call.resume()),
    ended: Deferred.await(ended)
  }
})
