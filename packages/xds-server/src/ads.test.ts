import { assert, describe, it } from "@effect/vitest"
import type { Peer, Proxy, PushRequest, XdsGenerator } from "@istiod-lite/model"
import {
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponse,
  DiscoveryRequest,
  DiscoveryResponse,
  type Node
} from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { Activity } from "./activity.ts"
import { observeAll, silentObserver } from "./observer.ts"
import { admitAll, Ads } from "./ads.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import type { XdsStreamHandler } from "./transport.ts"

const typeUrl = "test/thing"
const push = (parts: Partial<PushRequest>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(),
  proxies: new Set(),
  reasons: new Map(),
  since: 0,
  ...parts
})

const node = (id: string): Node => ({
  id,
  cluster: "",
  dynamicParameters: {},
  userAgentName: "",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
})

/** A control plane of one type: a resource's content is the world's version, seen through a proxy's locality. */
const setup = (
  options: {
    readonly wildcard?: boolean
    readonly resolve?: (self: Proxy) => Proxy
    readonly idle?: () => void
    readonly now?: () => number
    readonly acknowledged?: (milliseconds: number) => void
  } = {}
) => {
  const world = new Map<string, number>()
  const cache = new Map<string, Uint8Array>()
  const generator: XdsGenerator = {
    typeUrl,
    order: 0,
    allResourcesRequired: options.wildcard ?? false,
    generate: (names, proxy) =>
      (names.includes("*") ? [...world.keys()].toSorted() : names).flatMap((name) => {
        const version = world.get(name)
        if (version === undefined) return []
        const content = `${name}=${version}${proxy.locality.region}`
        const bytes = cache.get(content) ?? new TextEncoder().encode(content)
        cache.set(content, bytes)
        return [{ name, version: `${version}${proxy.locality.region}`, bytes }]
      }),
    scopeOf: ({ endpoints }) => endpoints,
    removalsOf: ({ removals }) => removals ?? new Set()
  }
  const ads = new Ads({
    generators: [generator],
    versionPrefix: "t",
    now: options.now ?? (() => 0),
    idle: options.idle ?? (() => {}),
    observer: observeAll([
      new Activity(() => {}),
      { ...silentObserver, acknowledged: (_, milliseconds) => options.acknowledged?.(milliseconds) }
    ]),
    resolve: options.resolve ?? ((self) => self),
    ...admitAll
  })
  return { ads, world, generator }
}

/** A client with flow control in the test's hand: a sent response leaves when `read` is called. */
class TestClient {
  readonly has = new Map<string, string>()
  readonly names = new Set<string>()
  nonce = ""
  most = 0
  private readonly waiting: Array<() => void> = []
  private readonly handler: XdsStreamHandler
  private readonly protocol: XdsProtocol
  private first = true

  constructor(ads: Ads, protocol: XdsProtocol, peer: Peer = { address: "test", identities: [] }) {
    this.protocol = protocol
    this.handler = ads.accept({
      peer,
      protocol,
      send: (message, done) => {
        this.waiting.push(() => {
          this.receive(message.bytes)
          done()
        })
        this.most = Math.max(this.most, this.waiting.length)
      },
      close: () => assert.fail("the server must not end the stream")
    })
  }

  get idle(): boolean {
    return this.waiting.length === 0
  }

  /** Takes the response that was sent; does it acknowledge at once? */
  read(): boolean {
    const next = this.waiting.shift()
    next?.()
    return next !== undefined
  }

  close(): void {
    this.handler.onClose()
  }

  subscribe(...names: ReadonlyArray<string>): void {
    for (const name of names) this.names.add(name)
    this.send({ added: names })
  }

  unsubscribe(...names: ReadonlyArray<string>): void {
    for (const name of names) {
      this.names.delete(name)
      this.has.delete(name)
    }
    this.send({ dropped: names })
  }

  acknowledge(error?: string): void {
    this.send({ acknowledges: true, error })
  }

  private send(parts: {
    readonly added?: ReadonlyArray<string>
    readonly dropped?: ReadonlyArray<string>
    readonly acknowledges?: boolean
    readonly error?: string | undefined
  }): void {
    const common = {
      typeUrl,
      node: this.first ? node("sidecar~10.0.0.1~a.ns~ns.svc.cluster.local") : undefined,
      errorDetail: parts.error === undefined ? undefined : { code: 3, message: parts.error, details: [] }
    }
    this.first = false
    this.handler.onMessage(
      this.protocol === "sotw"
        ? DiscoveryRequest.encode({
            ...common,
            versionInfo: "",
            resourceNames: [...this.names],
            resourceLocators: [],
            responseNonce: this.nonce
          }).finish()
        : DeltaDiscoveryRequest.encode({
            ...common,
            resourceNamesSubscribe: parts.added ?? [],
            resourceNamesUnsubscribe: parts.dropped ?? [],
            resourceLocatorsSubscribe: [],
            resourceLocatorsUnsubscribe: [],
            initialResourceVersions: {},
            responseNonce: parts.acknowledges ? this.nonce : ""
          }).finish()
    )
  }

  private receive(message: Uint8Array): void {
    if (this.protocol === "sotw") {
      const { nonce, resources } = DiscoveryResponse.decode(message)
      assert.notStrictEqual(nonce, this.nonce)
      this.nonce = nonce
      for (const { value } of resources) this.keep(...text(value))
      return
    }
    const { nonce, removedResources, resources } = DeltaDiscoveryResponse.decode(message)
    assert.notStrictEqual(nonce, this.nonce)
    this.nonce = nonce
    for (const { resource } of resources) this.keep(...text(resource!.value))
    for (const name of removedResources) this.has.delete(name)
  }

  /** A response may cross an unsubscription on its way. */
  private keep(name: string, content: string): void {
    if (this.names.has(name)) this.has.set(name, content)
  }
}

const text = (bytes: Uint8Array): readonly [string, string] => {
  const [name, content] = new TextDecoder().decode(bytes).split("=")
  return [name!, content!]
}

const name = fc.constantFrom("a", "b", "c", "d")
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("change" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("subscribe" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unsubscribe" as const), name }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("read" as const), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("ack" as const, "nack" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("full" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("lose" as const), name }) }
)

describe("Ads", () => {
  it.each(["sotw", "delta"] as const)(
    "brings a %s client to the state of the world, whatever the order",
    (protocol) => {
      fc.assert(
        fc.property(fc.array(command, { maxLength: 60, size: "max" }), (commands) => {
          const { ads, world } = setup()
          ads.serve()
          let version = 0
          world.set("a", ++version)
          const client = new TestClient(ads, protocol)
          client.subscribe("a")
          for (const { kind, name } of commands) {
            const names = new Set([name])
            if (kind === "change" || kind === "lose" || (kind === "remove" && protocol === "delta")) {
              if (kind === "remove") world.delete(name)
              else world.set(name, ++version)
              ads.push(push({ endpoints: names, removals: kind === "lose" ? names : new Set() }))
            }
            if (kind === "subscribe") client.subscribe(name)
            if (kind === "unsubscribe") client.unsubscribe(name)
            if (kind === "read") client.read()
            if (kind === "ack") client.acknowledge()
            if (kind === "nack") client.acknowledge("no")
            if (kind === "full") ads.push(push({ full: true }))
          }
          while (client.read()) client.acknowledge()
          const expected = [...client.names].flatMap((name) => {
            const version = world.get(name)
            return version === undefined ? [] : [[name, String(version)] as const]
          })
          assert.deepStrictEqual(client.has, new Map(expected))
          assert.isAtMost(client.most, 1)
          assert.isFalse(ads.writing)
        }),
        { numRuns: 300 }
      )
    }
  )

  it.each(["sotw", "delta"] as const)(
    "leaves a %s client with what it would have without removals that go first",
    (protocol) => {
      fc.assert(
        fc.property(fc.array(command, { maxLength: 60, size: "max" }), (commands) => {
          const [first, inOrder] = [true, false].map((removalsFirst) => {
            const { ads, world } = setup()
            ads.serve()
            const client = new TestClient(ads, protocol)
            client.subscribe("a")
            let version = 0
            for (const { kind, name } of commands) {
              const names = new Set([name])
              if (kind === "change" || kind === "lose") world.set(name, ++version)
              if (kind === "change") ads.push(push({ endpoints: names }))
              if (kind === "lose")
                ads.push(push({ endpoints: names, removals: removalsFirst ? names : new Set() }))
              if (kind === "subscribe") client.subscribe(name)
              if (kind === "unsubscribe") client.unsubscribe(name)
              if (kind === "read" && client.read()) client.acknowledge()
              if (kind === "full") ads.push(push({ full: true }))
            }
            while (client.read()) client.acknowledge()
            return client.has
          })
          assert.deepStrictEqual(first, inOrder)
        }),
        { numRuns: 300 }
      )
    }
  )

  it("sends the assignment that lost an endpoint ahead of all that a stream is owed", () => {
    const { ads, world } = setup()
    ads.serve()
    for (const name of ["a", "b", "c"]) world.set(name, 1)
    const client = new TestClient(ads, "sotw")
    client.subscribe("a", "b", "c")
    client.read()
    world.set("c", 2)
    ads.push(push({ endpoints: new Set(["c"]) }))
    for (const name of ["a", "b", "c"]) world.set(name, 3)
    ads.push(push({ full: true }))
    ads.push(push({ endpoints: new Set(["b"]), removals: new Set(["b"]) }))
    client.read()
    assert.deepStrictEqual(Object.fromEntries(client.has), { a: "1", b: "1", c: "2" })
    client.read()
    assert.deepStrictEqual(Object.fromEntries(client.has), { a: "1", b: "3", c: "2" })
    client.read()
    assert.deepStrictEqual(Object.fromEntries(client.has), { a: "3", b: "3", c: "3" })
    assert.isTrue(client.idle)
  })

  it("does not count as busy for clients that were behind when the push began", () => {
    let idle = 0
    const { ads, world } = setup({ idle: () => idle++ })
    ads.serve()
    world.set("a", 1)
    const [stuck, slow, reader] = ["stuck", "slow", "reader"].map(() => new TestClient(ads, "sotw"))
    for (const client of [stuck, slow, reader]) client!.subscribe("a")
    slow!.read()
    reader!.read()
    const change = (): void => {
      world.set("a", world.get("a")! + 1)
      ads.push(push({ endpoints: new Set(["a"]) }))
    }
    change()
    assert.isTrue(ads.writing)
    reader!.read()
    assert.isTrue(ads.writing)
    change()
    reader!.read()
    assert.strictEqual(idle, 1)
    assert.isFalse(ads.writing)
    // What the slow one is sent next waited for itself.
    slow!.read()
    assert.isFalse(slow!.idle)
    assert.isFalse(ads.writing)
    slow!.read()
    assert.deepStrictEqual([...slow!.has], [["a", "3"]])
    change()
    assert.isTrue(ads.writing)
    slow!.close()
    reader!.read()
    assert.strictEqual(idle, 2)
  })

  it("sends nothing before it serves, and then what was asked for", () => {
    const { ads, world } = setup()
    world.set("a", 1)
    const client = new TestClient(ads, "sotw")
    client.subscribe("a")
    ads.push(push({ full: true }))
    assert.isTrue(client.idle)
    ads.serve()
    client.read()
    assert.deepStrictEqual([...client.has], [["a", "1"]])
  })

  it("asks who a proxy is again only when a push names it, and sends what differs then", () => {
    let region = ""
    const resolve = (self: Proxy): Proxy =>
      region === "" ? self : { ...self, locality: { region, zone: "", subzone: "" } }
    const { ads, world } = setup({ resolve })
    ads.serve()
    world.set("a", 1)
    const client = new TestClient(ads, "delta")
    client.subscribe("a")
    client.read()
    region = "eu"
    ads.push(push({ proxies: new Set(["10.9.9.9"]) }))
    assert.isTrue(client.idle)
    for (const id of ["10.0.0.1", "a.ns", "sidecar~10.0.0.1~a.ns~ns.svc.cluster.local"]) {
      region += "+"
      ads.push(push({ proxies: new Set([id]) }))
      client.read()
      assert.strictEqual(client.has.get("a"), `1${region}`)
    }
    region += "!"
    ads.push(push({ full: true }))
    client.read()
    assert.strictEqual(client.has.get("a"), `1${region}`)
  })

  it("generates anew for a proxy that a push names, though the resolver sees no difference", () => {
    const { ads, world } = setup()
    ads.serve()
    world.set("a", 1)
    const client = new TestClient(ads, "sotw")
    client.subscribe("a")
    client.read()
    world.set("a", 2)
    ads.push(push({ proxies: new Set(["10.0.0.1"]) }))
    client.read()
    assert.deepStrictEqual([...client.has], [["a", "2"]])
  })

  it("sends nothing of a push that changes nothing for the client", () => {
    const { ads, world } = setup({ wildcard: true })
    ads.serve()
    world.set("a", 1)
    const client = new TestClient(ads, "sotw")
    client.subscribe()
    client.read()
    ads.push(push({ full: true }))
    ads.push(push({ endpoints: new Set(["a"]) }))
    assert.isTrue(client.idle)
  })

  it("forgets a stream that closed, also in the middle of a write", () => {
    const { ads, world } = setup()
    ads.serve()
    world.set("a", 1)
    const client = new TestClient(ads, "sotw")
    client.subscribe("a")
    assert.isTrue(ads.writing)
    client.close()
    assert.isFalse(ads.writing)
    assert.deepStrictEqual(ads.connections(), [])
    client.read()
    ads.push(push({ full: true }))
    assert.isTrue(client.idle)
  })

  it("survives a generator that throws: the client keeps what it has", () => {
    const { ads, generator, world } = setup()
    ads.serve()
    world.set("a", 1)
    const client = new TestClient(ads, "delta")
    client.subscribe("a")
    client.read()
    const { generate } = generator
    Object.assign(generator, {
      generate: () => {
        throw new Error("broken")
      }
    })
    ads.push(push({ full: true }))
    assert.isTrue(client.idle)
    Object.assign(generator, { generate })
    world.set("a", 2)
    ads.push(push({ full: true }))
    client.read()
    assert.deepStrictEqual([...client.has], [["a", "2"]])
  })

  it("knows since when a client is behind: owed, on its way, not acknowledged, refused", () => {
    let now = 1000
    const times: Array<number> = []
    const { ads, world } = setup({ now: () => now, acknowledged: (milliseconds) => times.push(milliseconds) })
    ads.serve()
    world.set("a", 1)
    const client = new TestClient(ads, "sotw")
    client.subscribe("a")
    client.read()
    client.acknowledge()
    assert.deepEqual(ads.behind(), [])

    const change = (since: number) => {
      world.set("a", (world.get("a") ?? 0) + 1)
      ads.push(push({ endpoints: new Set(["a"]), since }))
    }
    const behind = () => ads.behind().map(({ since, why }) => [since, why])
    change(990)
    assert.deepEqual(behind(), [[990, "it does not read what it is sent"]])
    change(995)
    client.read()
    assert.deepEqual(behind(), [[990, "it does not read what it is sent"]])
    client.read()
    assert.deepEqual(behind(), [[990, "it reads, but does not answer"]])
    client.acknowledge("no such thing")
    assert.deepEqual(behind(), [[990, "it refused test/thing: no such thing"]])
    assert.strictEqual(ads.connections()[0]?.behindSince, 990)

    now = 1010
    change(1005)
    client.read()
    client.acknowledge()
    assert.deepEqual(ads.behind(), [])
    assert.deepEqual(times, [20])
  })

  it("has connected at a whole millisecond, whatever the clock", () => {
    const { ads } = setup({ now: () => 1000.75 })
    new TestClient(ads, "sotw").subscribe("a")
    assert.strictEqual(ads.connections()[0]?.connectedAt, 1000)
  })

  it("is told by a client that closes no more of what it was behind with", () => {
    const { ads, world } = setup()
    ads.serve()
    const client = new TestClient(ads, "delta")
    client.subscribe("a")
    client.read()
    world.set("a", 1)
    ads.push(push({ endpoints: new Set(["a"]), since: 5 }))
    assert.lengthOf(ads.behind(), 1)
    client.close()
    assert.deepEqual(ads.behind(), [])
  })
})
