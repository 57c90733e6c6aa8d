import { assert, describe, it } from "@effect/vitest"
import type { PushRequest, XdsGenerator, XdsResource } from "@istiod-lite/model"
import {
  clusterTypeUrl,
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponse,
  DiscoveryRequest,
  DiscoveryResponse,
  endpointTypeUrl
} from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { admitAll, Ads } from "./ads.ts"
import { silentObserver } from "./observer.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import { SotwSession } from "./sotw-session.ts"
import type { XdsStreamHandler } from "./transport.ts"

const push = (parts: Partial<PushRequest>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(),
  proxies: new Set(),
  reasons: new Map(),
  since: 0,
  ...parts
})

/** A server of clusters and endpoints, whose content is a version each. */
const setup = () => {
  const clusters = new Map<string, string>()
  const endpoints = new Map<string, string>()
  const made = new Map<string, XdsResource>()
  const resourceOf = (name: string, version: string): XdsResource => {
    const key = `${name}=${version}`
    const resource = made.get(key) ?? { name, version, bytes: new TextEncoder().encode(key) }
    made.set(key, resource)
    return resource
  }
  const clusterGenerator: XdsGenerator = {
    typeUrl: clusterTypeUrl,
    order: 0,
    allResourcesRequired: true,
    generate: () => [...clusters].map(([name, version]) => resourceOf(name, version)),
    scopeOf: ({ services }) => (services.size > 0 ? "all" : new Set())
  }
  const endpointGenerator: XdsGenerator = {
    typeUrl: endpointTypeUrl,
    order: 2,
    allResourcesRequired: false,
    // An unknown service has an empty assignment (S-60).
    generate: (names) => names.map((name) => resourceOf(name, endpoints.get(name) ?? "none")),
    scopeOf: (request) => request.endpoints
  }
  const ads = new Ads({
    generators: [clusterGenerator, endpointGenerator],
    versionPrefix: "t",
    now: () => 0,
    idle: () => {},
    observer: silentObserver,
    resolve: (self) => self,
    ...admitAll
  })
  ads.serve()
  return { ads, clusters, endpoints }
}

/**
 * A client that takes clusters as Envoy does: one that is new or has changed is warming until a response that comes after
 * it holds its endpoints. What goes either way is on its way until the test lets it arrive.
 */
class WarmingClient {
  readonly clusters = new Map<string, string>()
  readonly endpoints = new Map<string, string>()
  readonly warming = new Set<string>()
  private readonly nonces = new Map<string, string>()
  private readonly toServer: Array<Uint8Array> = []
  private readonly toClient: Array<Uint8Array> = []
  /** the write that the windows have not let go yet */
  private gone: (() => void) | undefined
  private readonly handler: XdsStreamHandler
  private readonly protocol: XdsProtocol

  constructor(ads: Ads, protocol: XdsProtocol) {
    this.protocol = protocol
    this.handler = ads.accept({
      peer: { address: "test", identities: [] },
      protocol,
      send: (message, done) => {
        this.toClient.push(message.bytes)
        this.gone = done
      },
      close: ({ details }) => assert.fail(details)
    })
    this.ask(clusterTypeUrl, [], [])
  }

  /** The windows let go what is being written. */
  flush(): boolean {
    const { gone } = this
    this.gone = undefined
    gone?.()
    return gone !== undefined
  }

  /** A request arrives. */
  deliver(): boolean {
    const message = this.toServer.shift()
    if (message !== undefined) this.handler.onMessage(message)
    return message !== undefined
  }

  /** A response arrives. */
  read(): boolean {
    const message = this.toClient.shift()
    if (message === undefined) return false
    if (this.protocol === "sotw") {
      const { nonce, resources, typeUrl } = DiscoveryResponse.decode(message)
      const all = new Map(resources.map(({ value }) => contentOf(value)))
      const removed =
        typeUrl === clusterTypeUrl ? [...this.clusters.keys()].filter((name) => !all.has(name)) : []
      this.take(typeUrl, nonce, all, removed)
    } else {
      const { nonce, removedResources, resources, typeUrl } = DeltaDiscoveryResponse.decode(message)
      const all = new Map(resources.map(({ resource }) => contentOf(resource!.value)))
      this.take(typeUrl, nonce, all, removedResources)
    }
    return true
  }

  private take(
    typeUrl: string,
    nonce: string,
    resources: ReadonlyMap<string, string>,
    removed: ReadonlyArray<string>
  ): void {
    this.nonces.set(typeUrl, nonce)
    if (typeUrl === clusterTypeUrl) this.takeClusters(resources, removed)
    else
      for (const [name, content] of resources) {
        if (!this.clusters.has(name)) continue
        this.endpoints.set(name, content)
        this.warming.delete(name)
      }
    this.ask(typeUrl, [], [])
  }

  private takeClusters(resources: ReadonlyMap<string, string>, removed: ReadonlyArray<string>): void {
    const changed = [...resources].filter(([name, version]) => this.clusters.get(name) !== version)
    const added = changed.map(([name]) => name).filter((name) => !this.clusters.has(name))
    for (const [name, version] of changed) {
      this.clusters.set(name, version)
      this.warming.add(name)
    }
    for (const name of removed) {
      this.clusters.delete(name)
      this.endpoints.delete(name)
      this.warming.delete(name)
    }
    // A delta client whose names are the same says nothing; the other one asks again.
    const asks =
      this.protocol === "sotw" ? changed.length + removed.length > 0 : added.length + removed.length > 0
    if (asks) this.ask(endpointTypeUrl, added, removed)
  }

  private ask(typeUrl: string, added: ReadonlyArray<string>, removed: ReadonlyArray<string>): void {
    const nonce = this.nonces.get(typeUrl) ?? ""
    const common = {
      typeUrl,
      node: {
        id: "sidecar~10.0.0.1~a.ns~ns.svc.cluster.local",
        cluster: "",
        dynamicParameters: {},
        userAgentName: "",
        extensions: [],
        clientFeatures: [],
        listeningAddresses: []
      },
      errorDetail: undefined
    }
    this.toServer.push(
      this.protocol === "sotw"
        ? DiscoveryRequest.encode({
            ...common,
            versionInfo: "",
            resourceNames: typeUrl === clusterTypeUrl ? [] : [...this.clusters.keys()],
            resourceLocators: [],
            responseNonce: nonce
          }).finish()
        : DeltaDiscoveryRequest.encode({
            ...common,
            resourceNamesSubscribe: [...added],
            resourceNamesUnsubscribe: [...removed],
            resourceLocatorsSubscribe: [],
            resourceLocatorsUnsubscribe: [],
            initialResourceVersions: {},
            // Of a delta client only acknowledgements carry a nonce.
            responseNonce: added.length + removed.length > 0 ? "" : nonce
          }).finish()
    )
  }
}

const contentOf = (bytes: Uint8Array): readonly [name: string, content: string] => {
  const [name = "", content = ""] = new TextDecoder().decode(bytes).split("=")
  return [name, content]
}

const name = fc.constantFrom("a", "b", "c")
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cluster" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("no cluster" as const), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("endpoints" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("full" as const), name }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constantFrom("flush", "deliver", "read"), name }) }
)

describe("Ads, clusters that wait for their endpoints", () => {
  it.each(["sotw", "delta"] as const)(
    "lets no cluster of a %s client wait for ever, whatever the order",
    (protocol) => {
      fc.assert(
        fc.property(fc.array(command, { maxLength: 60, size: "max" }), (commands) => {
          const { ads, clusters, endpoints } = setup()
          clusters.set("a", "0")
          const client = new WarmingClient(ads, protocol)
          let version = 0
          for (const { kind, name } of commands) {
            const names = new Set([name])
            if (kind === "cluster") clusters.set(name, `${++version}`)
            if (kind === "no cluster") clusters.delete(name)
            if (kind === "cluster" || kind === "no cluster") ads.push(push({ services: names }))
            if (kind === "endpoints") {
              endpoints.set(name, `${++version}`)
              ads.push(push({ endpoints: names }))
            }
            if (kind === "full") ads.push(push({ full: true }))
            if (kind === "flush") client.flush()
            if (kind === "deliver") client.deliver()
            if (kind === "read") client.read()
          }
          while (client.flush() || client.deliver() || client.read());
          assert.deepStrictEqual([...client.warming], [])
          assert.deepStrictEqual(client.clusters, clusters)
          const expected = [...clusters.keys()].map((name) => [name, endpoints.get(name) ?? "none"] as const)
          assert.deepStrictEqual(client.endpoints, new Map(expected))
        }),
        { numRuns: 300 }
      )
    }
  )
})

/** A session that was sent `a` as n1, which was acknowledged if the test says so; then its parents were sent. */
const sentBeforeParents = (isAcknowledged: boolean) => {
  const session = new SotwSession(false, { subscribed: (name) => name, unsubscribed: () => undefined })
  const ask = (names: ReadonlyArray<string>, nonce: string, error?: string) => {
    const errorDetail = error === undefined ? undefined : { message: error }
    return session.onRequest({ resourceNames: names, responseNonce: nonce, errorDetail }, 0)
  }
  /** The names that are sent, all in this version. */
  const answer = (nonce: string, version: string) => {
    const all = session.wanted().map((name) => ({ name, version, bytes: new Uint8Array() }))
    const sent = session.respond(all)?.resources.map(({ name }) => name)
    session.sent({ nonce, version })
    return sent
  }
  ask(["a"], "")
  answer("n1", "1")
  if (isAcknowledged) ask(["a"], "n1")
  session.parentSent()
  return { session, ask, answer }
}

describe("SotwSession, a client that waits", () => {
  it("is answered though a response that it had not seen crossed its request", () => {
    const { answer, ask, session } = sentBeforeParents(true)
    session.markChanged(["a"])
    answer("n2", "2")
    assert.strictEqual(ask(["a"], "n1"), "subscription")
    assert.deepStrictEqual(answer("n3", "2"), ["a"])
  })

  it("is answered with what it has, too, when it names more", () => {
    const { answer, ask } = sentBeforeParents(true)
    assert.strictEqual(ask(["a", "b"], "n1"), "subscription")
    assert.deepStrictEqual(answer("n2", "1"), ["a", "b"])
  })

  it.each(["n1", "n2"])("is answered also after it has refused %s", (refused) => {
    const { answer, ask, session } = sentBeforeParents(refused !== "n1")
    if (refused === "n2") {
      session.markChanged(["a"])
      answer("n2", "2")
    }
    assert.strictEqual(ask(["a"], refused, "no"), "nack")
    assert.isFalse(session.owes)
    assert.strictEqual(ask(["a"], refused), "subscription")
    assert.deepStrictEqual(answer("n3", "2"), ["a"])
  })
})
