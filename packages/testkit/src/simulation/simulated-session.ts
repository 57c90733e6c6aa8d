import { untracked } from "@istiod-lite/collections"
import { parseProxy, type Proxy } from "@istiod-lite/model"
import { ClusterLoadAssignment, endpointTypeUrl, resourceToJson } from "@istiod-lite/xds-proto"
import { Buffer } from "node:buffer"
import type { Difference } from "./compare-planes.ts"
import type { SimulatedClient } from "./history.ts"
import { SimulatedConnection } from "./simulated-connection.ts"
import type { Plane, ServedPlane } from "./simulated-plane.ts"

/** A client of a history on its connection. */
export class SimulatedSession {
  /** whether it does not read for now */
  stalled = false
  readonly proxy: Proxy
  readonly #client: SimulatedClient
  readonly #plane: ServedPlane
  readonly #connection: SimulatedConnection

  constructor(plane: ServedPlane, client: SimulatedClient) {
    this.proxy = parseProxy(client.node)
    this.#client = client
    this.#plane = plane
    this.#connection = new SimulatedConnection(plane.ads, client.node, client.delta)
    this.#subscribe()
    this.read()
  }

  /** Reads all it is sent, if it reads at all. `seen` is called with each assignment. */
  read(seen?: (name: string, bytes: Uint8Array) => void): void {
    if (!this.stalled) this.#connection.read(seen)
  }

  /** Asks for what it sees now, as a client that was told its clusters does. */
  follow(): void {
    if (this.stalled || !this.#client.follows) return
    this.#subscribe()
    this.read()
  }

  /** The bytes it has under a name. */
  has(name: string): Uint8Array | undefined {
    return this.#connection.view.get(name)
  }

  /** The addresses of the endpoints that it has under a name. */
  addresses(name: string): ReadonlyArray<string> {
    const bytes = this.has(name)
    return bytes === undefined ? [] : addressesOf(bytes)
  }

  /** How what it has differs from what a new client of `fresh` is sent, if it does. */
  differenceFrom(fresh: Plane): Difference | undefined {
    const what = `assignments of ${this.proxy.id}`
    const { closed, names, view } = this.#connection
    if (closed !== undefined) return { what, key: "stream", served: closed, expected: "open" }
    const expected = fresh.endpoints.generate([...names], parseProxy(this.#client.node))
    for (const { bytes, name } of expected) {
      const served = view.get(name)
      if (served === undefined || Buffer.compare(served, bytes) !== 0)
        return { what, key: name, served: served && readable(served), expected: readable(bytes) }
    }
    const more = [...view.keys()].find((name) => !names.has(name))
    return more === undefined ? undefined : { what, key: more, served: "there", expected: undefined }
  }

  #subscribe(): void {
    const { follows, names } = this.#client
    const { policy } = this.#plane
    const own = follows ? policy.clusterNames(untracked, policy.viewOf(untracked, this.proxy)) : []
    this.#connection.subscribe(new Set([...names, ...own]))
  }
}

const readable = (bytes: Uint8Array): unknown => resourceToJson(endpointTypeUrl, bytes)

const addressesOf = (bytes: Uint8Array): ReadonlyArray<string> =>
  ClusterLoadAssignment.decode(bytes)
    .endpoints.flatMap(({ lbEndpoints }) => lbEndpoints)
    .flatMap(({ hostIdentifier }) => {
      const host = hostIdentifier?.$case === "endpoint" ? hostIdentifier.value.address?.address : undefined
      return host?.$case === "socketAddress" ? [host.value.address] : []
    })

/** Whether an encoded assignment names no endpoint. */
export const isEmptyAssignment = (bytes: Uint8Array): boolean =>
  ClusterLoadAssignment.decode(bytes).endpoints.every(({ lbEndpoints }) => lbEndpoints.length === 0)
