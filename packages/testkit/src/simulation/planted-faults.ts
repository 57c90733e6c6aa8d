/**
 * Faults that a simulation has to find, each put around the product through a hook: what they break is what people
 * break when they change the product.
 */
import {
  type Collection,
  type Entry,
  Graph,
  type Index,
  type ItemReader,
  type NodeOptions,
  type Scope
} from "@istiod-lite/collections"
import { decoded } from "./observed-objects.ts"
import type { SimulationHooks } from "./play-history.ts"

/** Reads pods without being woken by them: endpoints keep what a pod was when their slice last changed. */
class UntrackedPods extends Graph {
  override flatMap<I, P, V extends P = P>(
    name: string,
    from: Collection<I>,
    fn: (key: string, value: I, read: ItemReader<P>) => ReadonlyArray<Entry<V>>,
    options?: NodeOptions<V>
  ): Collection<V> {
    const untracking = (key: string, value: I, read: ItemReader<P>) =>
      fn(key, value, {
        get: (of, id) => (of.name.endsWith("/pods") ? of.get(id) : read.get(of, id)),
        lookup: (index, id) => read.lookup(index, id),
        previous: (id) => read.previous(id)
      })
    return super.flatMap(name, from, name.endsWith("/slice endpoints") ? untracking : fn, options)
  }
}

/** Joins the endpoints of a service in the order in which their groups came first. */
class UnsortedEndpoints extends Graph {
  readonly #arrivals = new Map<string, number>()

  override group<I, P, V extends P = P>(
    name: string,
    index: Index<I>,
    fn: (key: string, entries: ReadonlyArray<Entry<I>>, read: ItemReader<P>) => V | undefined,
    options?: NodeOptions<V>
  ): Collection<V> {
    const unsorting = (key: string, entries: ReadonlyArray<Entry<I>>, read: ItemReader<P>) =>
      fn(key, entries, {
        get: (of, id) => read.get(of, id),
        lookup: (of, id) => this.#inOrderOfArrival(read.lookup(of, id)),
        previous: (id) => read.previous(id)
      })
    return super.group(name, index, name === "endpoints" ? unsorting : fn, options)
  }

  #inOrderOfArrival<V>(entries: ReadonlyArray<Entry<V>>): ReadonlyArray<Entry<V>> {
    for (const [key] of entries) if (!this.#arrivals.has(key)) this.#arrivals.set(key, this.#arrivals.size)
    return entries.toSorted(([a], [b]) => (this.#arrivals.get(a) ?? 0) - (this.#arrivals.get(b) ?? 0))
  }
}

/** Never lets go of what belonged to a cluster. */
class KeptScopes extends Graph {
  override scope<A>(build: () => A): Scope<A> {
    return { value: super.scope(build).value, dispose: () => {} }
  }
}

/** The faults by name. A fault is made anew for each history. */
export const plantedFaults: Readonly<Record<string, () => SimulationHooks>> = {
  "untracked-read": () => ({ graph: () => new UntrackedPods() }),
  "unsorted-join": () => ({ graph: () => new UnsortedEndpoints() }),
  "kept-scopes": () => ({ graph: () => new KeptScopes() }),
  /** First the old cluster goes, then the new one comes, object by object. */
  "naive-swap": () => ({
    replaceCluster: ({ store }, { cluster, manifests }, told) => {
      store.removeCluster(cluster)
      told()
      for (const manifest of manifests) {
        store.markSynced(cluster)
        store.put(cluster, decoded(manifest))
        told()
      }
    }
  }),
  /** A push that names services forgets the endpoints that changed with them. */
  "forgotten-endpoints": () => ({
    plan: (request) => (request.services.size > 0 ? { ...request, endpoints: new Set() } : request)
  })
}
