import { identifyObject, objectKey, type ObjectIdentity } from "@istiod-lite/model"
import { clusters, type Manifest, type SimulatedEvent } from "../history.ts"
import type { SeededRandom } from "../random.ts"
import { type Draft, podManifest, type PodState, versioned } from "./manifests.ts"

interface Kept {
  readonly identity: ObjectIdentity
  readonly manifest: Manifest
}

/**
 * The meshes' objects as they are in their clusters, whether or not the control plane is connected to them. What
 * changes in a connected cluster is noted as an event.
 */
export class World {
  readonly random: SeededRandom
  readonly #objects = new Map(clusters.map((cluster) => [cluster as string, new Map<string, Kept>()]))
  readonly #pods = new Map(clusters.map((cluster) => [cluster as string, new Map<string, PodState>()]))
  readonly #connected = new Set<string>()
  #events: Array<SimulatedEvent> = []
  #count = 0

  constructor(random: SeededRandom) {
    this.random = random
  }

  /** A number that nobody has had. */
  next(): number {
    return ++this.#count
  }

  /** A creation time: often the same for several objects, so that ties occur (D-14). */
  someTime(): string {
    return `2026-03-01T08:00:0${this.random.below(4)}Z`
  }

  isConnected(cluster: string): boolean {
    return this.#connected.has(cluster)
  }

  /** One of the clusters, more often one that is connected. */
  someCluster(): string {
    return this.random.chance(0.6) ? clusters[0] : clusters[1]
  }

  put(cluster: string, draft: Draft): void {
    const identity = identifyObject(draft)
    if (identity === undefined) throw new Error(`Cannot simulate ${draft.kind}: discovery does not use it`)
    const manifest = versioned(draft, String(this.next()))
    this.#objects.get(cluster)?.set(idOf(identity), { identity, manifest })
    this.#note({ action: "apply", cluster, manifest })
  }

  putPod(cluster: string, state: PodState): void {
    this.#pods.get(cluster)?.set(objectKey(state), state)
    this.put(cluster, podManifest(state))
  }

  drop(cluster: string, identity: ObjectIdentity): void {
    if (identity.kind === "Pod") this.#pods.get(cluster)?.delete(objectKey(identity))
    if (this.#objects.get(cluster)?.delete(idOf(identity)))
      this.#note({ action: "delete", cluster, identity })
  }

  pods(cluster: string): ReadonlyArray<PodState> {
    return [...(this.#pods.get(cluster)?.values() ?? [])]
  }

  identities(cluster: string, kind?: string): ReadonlyArray<ObjectIdentity> {
    return this.#kept(cluster).flatMap(({ identity }) =>
      kind === undefined || identity.kind === kind ? [identity] : []
    )
  }

  manifest(cluster: string, identity: ObjectIdentity): Manifest | undefined {
    return this.#objects.get(cluster)?.get(idOf(identity))?.manifest
  }

  /** The same version of an object once more, as a watch may tell it. */
  repeat(cluster: string): void {
    const kept = this.random.oneOf(this.#kept(cluster))
    if (kept !== undefined) this.#note({ action: "apply", cluster, manifest: kept.manifest })
  }

  relist(cluster: string): void {
    this.#note({ action: "relist", cluster })
  }

  configure(event: Extract<SimulatedEvent, { action: "configure" }>): void {
    this.#events.push(event)
  }

  /** The connection to a cluster is there (again): all its objects are told, in any order. */
  connect(cluster: string): void {
    this.#connected.add(cluster)
    for (const { manifest } of this.random.shuffled(this.#kept(cluster)))
      this.#note({ action: "apply", cluster, manifest })
  }

  disconnect(cluster: string): void {
    this.#note({ action: "removeCluster", cluster })
    this.#connected.delete(cluster)
  }

  /** A new connection takes the place of the old one. What `meanwhile` changes, only the new one has seen. */
  replace(cluster: string, meanwhile: () => void): void {
    const wasConnected = this.#connected.delete(cluster)
    meanwhile()
    if (!wasConnected) return
    this.#connected.add(cluster)
    const manifests = this.random.shuffled(this.#kept(cluster)).map(({ manifest }) => manifest)
    this.#note({ action: "replaceCluster", cluster, manifests })
  }

  /** The events since the last call. */
  takeEvents(): ReadonlyArray<SimulatedEvent> {
    const events = this.#events
    this.#events = []
    return events
  }

  #kept(cluster: string): ReadonlyArray<Kept> {
    return [...(this.#objects.get(cluster)?.values() ?? [])]
  }

  #note(event: Exclude<SimulatedEvent, { action: "configure" }>): void {
    if (this.#connected.has(event.cluster)) this.#events.push(event)
  }
}

const idOf = (identity: ObjectIdentity): string => `${identity.kind}/${objectKey(identity)}`
