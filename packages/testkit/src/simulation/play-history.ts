import { meshKey } from "@istiod-lite/model"
import { AccountMemory } from "./account-memory.ts"
import { compareForProxy, comparePlanes, type Difference } from "./compare-planes.ts"
import { EmptiedAssignments } from "./emptied-assignments.ts"
import { type Batch, clusters, configCluster, type History, type SimulatedEvent } from "./history.ts"
import { decoded, ObservedObjects } from "./observed-objects.ts"
import { makePlane, makeServedPlane, type PlaneHooks, type ServedPlane } from "./simulated-plane.ts"
import { SimulatedSession } from "./simulated-session.ts"

type Replacement = Extract<SimulatedEvent, { readonly action: "replaceCluster" }>

/** Where a history puts a fault; none of it belongs to the product. */
export interface SimulationHooks extends PlaneHooks {
  /** how a new connection to a cluster takes the place of the old one; `told` is called after each step */
  readonly replaceCluster?: (plane: ServedPlane, event: Replacement, told: () => void) => void
}

/** Why a history does not pass. */
export interface HistoryFailure {
  /** position of the batch after which it shows */
  readonly batch: number
  readonly difference: Difference
}

/** Plays a history and checks after each batch; the first failure, if there is one. */
export const playHistory = (history: History, hooks: SimulationHooks = {}): HistoryFailure | undefined => {
  const player = new HistoryPlayer(history, hooks)
  for (const [i, batch] of history.batches.entries()) {
    const difference = attempt(() => player.play(batch))
    if (difference !== undefined) return { batch: i, difference }
  }
  return undefined
}

/** What `run` finds; an error is a difference too, such as a listener that failed. */
const attempt = (run: () => Difference | undefined): Difference | undefined => {
  try {
    return run()
  } catch (error) {
    return { what: "a transaction", key: "error", served: String(error), expected: undefined }
  }
}

class HistoryPlayer {
  readonly #hooks: SimulationHooks
  readonly #served: ServedPlane
  readonly #memory: AccountMemory
  readonly #sessions: ReadonlyArray<SimulatedSession>
  readonly #observed = new ObservedObjects()

  constructor(history: History, hooks: SimulationHooks) {
    this.#hooks = hooks
    this.#served = makeServedPlane({ configCluster }, hooks)
    this.#memory = new AccountMemory(this.#served.discovery.endpoints)
    this.#observed.clusters.set(configCluster, new Map())
    this.#sessions = history.clients.map((client) => new SimulatedSession(this.#served, client))
  }

  play(batch: Batch): Difference | undefined {
    for (const [i, session] of this.#sessions.entries()) {
      session.stalled = batch.stalled.includes(i)
      // What is left from when it did not read belongs to earlier batches.
      session.read()
    }
    const { graph } = this.#served
    const emptied = isReplacement(batch) ? new EmptiedAssignments() : undefined
    const told = batch.eager ? () => this.#push(emptied) : () => {}
    if (batch.together) graph.transaction(() => batch.events.forEach((event) => this.#take(event, () => {})))
    else for (const event of batch.events) this.#take(event, told)
    this.#push(emptied)
    for (const session of this.#sessions) session.follow()
    return emptied?.difference() ?? this.#check()
  }

  #push(emptied: EmptiedAssignments | undefined): void {
    this.#served.push()
    for (const session of this.#sessions)
      session.read(emptied && ((name, bytes) => emptied.see(session, name, bytes)))
  }

  #take(event: SimulatedEvent, told: () => void): void {
    const { graph, mesh, store } = this.#served
    const isThere = "cluster" in event && this.#observed.clusters.has(event.cluster)
    this.#observed.take(event)
    switch (event.action) {
      case "apply": {
        graph.transaction(() => {
          store.markSynced(event.cluster)
          store.put(event.cluster, decoded(event.manifest))
        })
        break
      }
      case "delete": {
        store.delete(event.cluster, event.identity)
        break
      }
      case "relist": {
        graph.transaction(() => this.#observed.writeCluster(store, event.cluster))
        break
      }
      case "removeCluster": {
        store.removeCluster(event.cluster)
        break
      }
      case "replaceCluster": {
        if (isThere) (this.#hooks.replaceCluster ?? replaceCluster)(this.#served, event, told)
        break
      }
      case "configure":
        mesh.set(meshKey, this.#observed.meshConfig)
    }
    told()
  }

  #check(): Difference | undefined {
    const there = clusters.filter((cluster) => this.#observed.clusters.has(cluster))
    const rebuilt = makePlane({ configCluster, clusters: there, mesh: this.#observed.mesh }, (store) =>
      this.#observed.writeInto(store)
    )
    // A source has its configuration cluster from the start.
    if (!this.#observed.clusters.has(configCluster)) rebuilt.store.removeCluster(configCluster)
    const difference = comparePlanes(this.#served, rebuilt, this.#memory)
    if (difference !== undefined) return difference
    for (const session of this.#sessions) {
      const found =
        (session.stalled ? undefined : session.differenceFrom(rebuilt)) ??
        compareForProxy(this.#served, rebuilt, session.proxy)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** A replacement that is alone in its batch: what clients are told meanwhile is its doing. */
const isReplacement = ({ events: [event, ...others] }: Batch): boolean =>
  event?.action === "replaceCluster" && others.length === 0

/** As it should be: all is gathered aside, then takes over at once. */
const replaceCluster = (
  { store }: ServedPlane,
  { cluster, manifests }: Replacement,
  told: () => void
): void => {
  const successor = store.successor(cluster)
  for (const manifest of manifests) {
    successor.put(decoded(manifest))
    told()
  }
  successor.takeOver()
}
