import type { NodeIdentity } from "@istiod-lite/model"
import { endpointTypeUrl, type Node } from "@istiod-lite/xds-proto"
import type { Ads } from "@istiod-lite/xds-server"
import {
  deltaTestProtocol,
  type ReceivedResponse,
  sotwTestProtocol,
  type TestRequest
} from "../xds-test-protocol.ts"

const nodeOf = ({ id, locality, metadata }: NodeIdentity): Node => ({
  id,
  cluster: "",
  metadata,
  dynamicParameters: {},
  locality: locality && { region: "", zone: "", subZone: "", ...locality },
  userAgentName: "simulated",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
})

/**
 * A client of endpoints without a socket: it subscribes, accepts what it is sent, and keeps it. It takes messages
 * only when it is told to read, so that it can be slow.
 */
export class SimulatedConnection {
  /** the encoded assignments that it has, by name */
  readonly view = new Map<string, Uint8Array>()
  readonly #names = new Set<string>()
  readonly #send: (request: Partial<TestRequest>) => void
  readonly #read: (message: Uint8Array) => ReceivedResponse
  /** messages that the server has written, and how to tell it that they are gone */
  readonly #arrived: Array<{ readonly message: Uint8Array; readonly done: () => void }> = []
  #closed: string | undefined

  constructor(ads: Ads, identity: NodeIdentity, delta: boolean) {
    const protocol = delta ? deltaTestProtocol : sotwTestProtocol
    const stream = ads.accept({
      peer: { address: "simulated", identities: [] },
      protocol: delta ? "delta" : "sotw",
      send: ({ bytes }, done) => this.#arrived.push({ message: bytes, done }),
      close: ({ details }) => {
        this.#closed = details
      }
    })
    let node: Node | undefined = nodeOf(identity)
    this.#read = protocol.read
    this.#send = (request) => {
      const message = protocol.write({
        node,
        typeUrl: endpointTypeUrl,
        names: [...this.#names],
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
    this.#nonceOfRequests = delta ? () => "" : () => this.#last.nonce
  }

  readonly #nonceOfRequests: () => string
  #last = { nonce: "", version: "" }

  get names(): ReadonlySet<string> {
    return this.#names
  }

  /** Why the server ended the stream, if it did. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** Makes `names` what it subscribes to. */
  subscribe(names: ReadonlySet<string>): void {
    const added = [...names].filter((name) => !this.#names.has(name))
    const dropped = [...this.#names].filter((name) => !names.has(name))
    if (added.length + dropped.length === 0) return
    for (const name of added) this.#names.add(name)
    for (const name of dropped) {
      this.#names.delete(name)
      this.view.delete(name)
    }
    this.#send({ added, dropped, nonce: this.#nonceOfRequests(), version: this.#last.version })
  }

  /** Takes all that has arrived, and what arrives because of it. `seen` is called with each assignment. */
  read(seen: (name: string, bytes: Uint8Array) => void = () => {}): void {
    for (let next = this.#arrived.shift(); next !== undefined; next = this.#arrived.shift()) {
      const { nonce, removed, resources, version } = this.#read(next.message)
      this.#last = { nonce, version }
      for (const { bytes, name } of resources) {
        // A name that was unsubscribed while the answer was under way.
        if (!this.#names.has(name)) continue
        this.view.set(name, bytes)
        seen(name, bytes)
      }
      for (const name of removed) this.view.delete(name)
      this.#send({ nonce, version })
      next.done()
    }
  }
}
