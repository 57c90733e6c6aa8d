import { collectionsOf, withEndpoints } from "@istiod-lite/xds-eds/testing"
import {
  ClusterLoadAssignment,
  clusterTypeUrl,
  endpointTypeUrl,
  LbEndpoint,
  lbEndpointTypeUrl
} from "@istiod-lite/xds-proto"
import type { Ads } from "@istiod-lite/xds-server"
import { deltaTestProtocol, type ReceivedResponse, type TestRequest } from "../xds-test-protocol.ts"

/** What a client says of the members of its collections when it connects again. */
export type Memory = "says nothing" | "says what it has"

interface Sent {
  readonly message: Uint8Array
  readonly done: () => void
}

interface Member {
  readonly version: string
  readonly endpoint: LbEndpoint
}

/**
 * A delta client of clusters, assignments and single endpoints, which keeps of them what Envoy 1.40 keeps: members of a
 * collection until they are removed or the assignment names the collection no more, over any number of streams; a new
 * collection is asked for at once; a cluster that is sent again forgets its endpoints without asking again.
 */
export class SimulatedEnvoy {
  readonly #ads: Ads
  readonly #names: ReadonlyArray<string>
  readonly #memory: Memory
  readonly #clusters = new Map<string, string>()
  readonly #versions = new Map<string, string>()
  /** subscribed to, by cluster */
  readonly #collections = new Map<string, ReadonlyArray<string>>()
  readonly #assignments = new Map<string, ClusterLoadAssignment>()
  /** by collection, by name */
  readonly #members = new Map<string, Map<string, Member>>()
  #arrived: Array<Sent> = []
  #send: (request: Partial<TestRequest>) => void = () => {}
  #close: () => void = () => {}
  /** how many endpoints it was sent by themselves */
  endpointsSent = 0

  /** @param names the clusters whose endpoints it wants */
  constructor(ads: Ads, names: ReadonlyArray<string>, memory: Memory) {
    this.#ads = ads
    this.#names = names
    this.#memory = memory
  }

  /** Opens a stream, the last one having ended, and asks for all it wants and says what it has. */
  connect(ads: Ads = this.#ads): void {
    this.#close()
    this.#arrived = []
    const arrived = this.#arrived
    const stream = ads.accept({
      peer: { address: "simulated", identities: [] },
      protocol: "delta",
      send: ({ bytes }, done) => arrived.push({ message: bytes, done }),
      close: ({ details }) => {
        throw new Error(`The server ended the stream: ${details}`)
      }
    })
    let node: TestRequest["node"] = {
      id: "sidecar~198.51.100.9~client.shop~shop.svc.cluster.local",
      cluster: "",
      metadata: { ISTIOD_LITE_LEDS: "true" },
      dynamicParameters: {},
      userAgentName: "simulated",
      extensions: [],
      clientFeatures: [],
      listeningAddresses: []
    }
    this.#send = (request) => {
      const message = deltaTestProtocol.write({
        node,
        typeUrl: endpointTypeUrl,
        names: [],
        added: [],
        dropped: [],
        initialVersions: {},
        nonce: "",
        version: "",
        ...request
      })
      node = undefined
      stream.onMessage(message)
    }
    this.#close = () => stream.onClose()
    this.#send({ typeUrl: clusterTypeUrl, initialVersions: Object.fromEntries(this.#clusters) })
    this.#send({ added: [...this.#names], initialVersions: Object.fromEntries(this.#versions) })
    const collections = [...this.#members.keys()]
    if (collections.length > 0)
      this.#send({ typeUrl: lbEndpointTypeUrl, added: collections, initialVersions: this.#claims() })
  }

  /** Takes the response that is on its way; false if there is none. */
  read(): boolean {
    const next = this.#arrived.shift()
    if (next === undefined) return false
    const response = deltaTestProtocol.read(next.message)
    this.#take(response)
    this.#send({ typeUrl: response.typeUrl, nonce: response.nonce })
    next.done()
    return true
  }

  /** Its assignments, the members of their collections in place, so that they compare with those that contain them. */
  assignments(): ReadonlyMap<string, unknown> {
    return new Map([...this.#assignments].map(([name, assignment]) => [name, this.#resolve(assignment)]))
  }

  #claims(): Record<string, string> {
    if (this.#memory === "says nothing") return {}
    const assigned = [...this.#assignments.values()].flatMap(collectionsOf)
    const members = assigned.flatMap((collection) => [...(this.#members.get(collection) ?? [])])
    return Object.fromEntries(members.map(([name, { version }]) => [name, version]))
  }

  #take(response: ReceivedResponse): void {
    switch (response.typeUrl) {
      case clusterTypeUrl:
        for (const { name, version } of response.resources) this.#renew(name, version)
        break
      case endpointTypeUrl:
        for (const { bytes, name, version } of response.resources) {
          this.#versions.set(name, version)
          this.#assign(name, ClusterLoadAssignment.decode(bytes))
        }
        break
      case lbEndpointTypeUrl:
        this.#takeMembers(response)
        break
    }
  }

  /** A new cluster object has nothing until it gets an assignment, and shares the subscriptions of the old one. */
  #renew(name: string, version: string): void {
    if (this.#clusters.get(name) === version) return
    this.#clusters.set(name, version)
    this.#assignments.delete(name)
    this.#versions.delete(name)
  }

  #assign(name: string, assignment: ClusterLoadAssignment): void {
    const before = this.#collections.get(name) ?? []
    const now = collectionsOf(assignment)
    if (!this.#assignments.has(name)) for (const collection of before) this.#members.get(collection)?.clear()
    this.#assignments.set(name, assignment)
    this.#collections.set(name, now)
    const dropped = before.filter((collection) => !now.includes(collection))
    const added = now.filter((collection) => !this.#members.has(collection))
    for (const collection of dropped) this.#members.delete(collection)
    for (const collection of added) this.#members.set(collection, new Map())
    if (added.length + dropped.length > 0) this.#send({ typeUrl: lbEndpointTypeUrl, added, dropped })
  }

  #takeMembers({ removed, resources }: ReceivedResponse): void {
    for (const name of removed) this.#membersAround(name)?.delete(name)
    for (const { bytes, name, version } of resources) {
      this.endpointsSent++
      this.#membersAround(name)?.set(name, { version, endpoint: LbEndpoint.decode(bytes) })
    }
  }

  #membersAround(name: string): Map<string, Member> | undefined {
    return this.#members.get(`${name.slice(0, name.lastIndexOf("/"))}/*`)
  }

  #resolve(assignment: ClusterLoadAssignment): unknown {
    return withEndpoints(assignment, (collection) =>
      [...(this.#members.get(collection)?.values() ?? [])].map(({ endpoint }) => endpoint)
    )
  }
}
