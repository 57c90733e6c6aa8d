import { Buffer } from "node:buffer"
import type { XdsChanges, XdsResource } from "@istiod-lite/model"
import { ChangeLog } from "./change-log.ts"
import { collectionName } from "./collection-name.ts"
import { contentVersion } from "./content-version.ts"
import type { EndpointChunk } from "./encode-group.ts"
import { splitEndpoints } from "./split-endpoints.ts"

/** An endpoint in its place: an encoded envoy.config.endpoint.v3.LbEndpoint. */
interface Member {
  readonly bytes: Uint8Array
  /** made when it is sent first */
  version: string | undefined
}

interface Derived {
  readonly from: number
  readonly to: number
  readonly changes: XdsChanges
}

/** Collections that were ever made, so that no two count their generations under one name. */
let collections = 0

const nothing: XdsChanges = { resources: [], removed: [] }

/**
 * The endpoints of one locality as single resources, each in a numbered place, which is its name.
 *
 * Places, because of clients that reconnect: Envoy does not say which members of a collection it has, nor drops what it
 * is not told of. If names were those of endpoints, one that went meanwhile would stay with it for ever, and no server
 * that was not there could know its name. There are only so many places, so what is told to a client that may have
 * anything is what is in each of them, or that nothing is. An endpoint that takes the place of another costs one resource.
 *
 * Chunks that stay the values they were are not looked at. What a stream knows is one generation.
 */
export class EndpointCollection {
  readonly name: string
  readonly capacity: number
  readonly #members: Array<Member | undefined>
  /** of each chunk that is in, the places of its endpoints, in their order */
  #places = new Map<EndpointChunk, Uint32Array>()
  /** free places; the last is taken next */
  readonly #free: Array<number>
  readonly #log: ChangeLog
  readonly #epoch = `${++collections}`
  readonly #prefix: string
  #resource: XdsResource | undefined
  #last: Derived | undefined
  #all: WeakRef<XdsChanges> | undefined

  /** @param path `collectionPath` */
  constructor(path: string, capacity: number) {
    this.name = collectionName(path, capacity)
    this.capacity = capacity
    this.#prefix = this.name.slice(0, -1)
    this.#members = Array.from({ length: capacity }, () => undefined)
    this.#free = Array.from({ length: capacity }, (_, i) => capacity - 1 - i)
    this.#log = new ChangeLog(Math.max(64, capacity >> 3))
  }

  /** Puts the chunks in place of those that were in it. There must be room for all their endpoints. */
  update(chunks: ReadonlyArray<EndpointChunk>): void {
    const added = chunks.filter((chunk) => !this.#places.has(chunk))
    if (added.length === 0 && chunks.length === this.#places.size) return
    const staying = new Set(chunks)
    const freed = [...this.#places].filter(([chunk]) => !staying.has(chunk)).map(([, places]) => places)
    const before = new Map<string, Array<number>>()
    for (const places of freed) for (const place of places) this.#note(before, place)
    // Endpoints that are as they were keep their places; only then the others take what is left.
    const messages = added.map(({ bytes }) => splitEndpoints(bytes))
    const kept = messages.map((list) => list.map((bytes) => before.get(keyOf(bytes))?.pop()))
    const left = [...before.values()].flat()
    const changed = new Set(left)
    for (const [i, chunk] of added.entries()) {
      const places = (kept[i] ?? []).map((place, j) => {
        const bytes = messages[i]?.[j] ?? new Uint8Array()
        const taken = place ?? left.pop() ?? this.#free.pop() ?? 0
        // Also what stays as it was: its old bytes are part of a chunk that would live on with them.
        this.#members[taken] = {
          bytes,
          version: place === undefined ? undefined : this.#members[place]?.version
        }
        if (place === undefined) changed.add(taken)
        return taken
      })
      this.#places.set(chunk, Uint32Array.from(places))
    }
    for (const chunk of this.#places.keys()) if (!staying.has(chunk)) this.#places.delete(chunk)
    for (const place of left) {
      this.#members[place] = undefined
      this.#free.push(place)
    }
    if (changed.size === 0) return
    this.#log.add([...changed])
    this.#resource = undefined
    this.#all = undefined
  }

  /** The collection as it is now; the same value until it changes. */
  get resource(): XdsResource {
    this.#resource ??= {
      name: this.name,
      version: `${this.#epoch}.${this.#log.generation}`,
      bytes: new Uint8Array(),
      members: (since) => this.#changes(since)
    }
    return this.#resource
  }

  #note(places: Map<string, Array<number>>, place: number): void {
    const key = keyOf(this.#members[place]?.bytes ?? new Uint8Array())
    const same = places.get(key)
    if (same === undefined) places.set(key, [place])
    else same.push(place)
  }

  #changes(since: string | undefined): XdsChanges {
    const from = this.#generationOf(since)
    const places = from === undefined ? undefined : this.#log.since(from)
    if (from === undefined || places === undefined) return this.#everything()
    if (places.size === 0) return nothing
    const to = this.#log.generation
    // One value for all streams that are as far: they share what is sent.
    if (this.#last?.from !== from || this.#last.to !== to) {
      this.#last = { from, to, changes: this.#changesIn(places) }
    }
    return this.#last.changes
  }

  #generationOf(version: string | undefined): number | undefined {
    const [epoch, generation] = version?.split(".") ?? []
    return epoch === this.#epoch && generation !== undefined ? Number(generation) : undefined
  }

  #everything(): XdsChanges {
    const kept = this.#all?.deref()
    if (kept !== undefined) return kept
    const all = this.#changesIn(this.#members.keys())
    this.#all = new WeakRef(all)
    return all
  }

  #changesIn(places: Iterable<number>): XdsChanges {
    const resources: Array<XdsResource> = []
    const removed: Array<string> = []
    for (const place of places) {
      const member = this.#members[place]
      const name = `${this.#prefix}${place}`
      if (member === undefined) removed.push(name)
      else
        resources.push({
          name,
          version: (member.version ??= contentVersion(member.bytes)),
          bytes: member.bytes
        })
    }
    return { resources, removed }
  }
}

/** Equal for equal bytes. */
const keyOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
