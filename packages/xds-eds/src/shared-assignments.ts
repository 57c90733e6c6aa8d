import { formatLocality, type XdsResource } from "@istiod-lite/model"
import type { ProxyView, SidecarScope } from "@istiod-lite/mesh-policy"

/** Stands for assignments that are each client's own: labels or node decide. */
const own = Symbol("own")

type Assignments<A> = Map<string, A | typeof own>

/**
 * Assignments that clients share while nothing changes, so that a push costs each further stream one look-up.
 *
 * Clients that see the same services from the same place are of one class and get the same, except where the labels or
 * the node of a client decide: whether that is so is noticed when an assignment is made.
 */
export class SharedAssignments<A extends object | string = XdsResource> {
  /** by class */
  readonly #classes = new WeakMap<SidecarScope, Map<string, Assignments<A>>>()
  // The view of a proxy is one value until something changes for it.
  readonly #ofView = new WeakMap<ProxyView, Assignments<A>>()
  readonly #filled = new Set<Assignments<A>>()
  #revision = -1

  /**
   * The assignment of the name for this client: the one that others of its class got at this revision of the graph,
   * or what `make` makes of a view that says the same.
   */
  get(view: ProxyView, name: string, revision: number, make: (view: ProxyView) => A): A {
    if (revision !== this.#revision) this.#forget(revision)
    const assignments = this.#ofView.get(view) ?? this.#find(view)
    const known = assignments.get(name)
    if (known === own) return make(view)
    if (known !== undefined) return known
    let personal = false
    const made = make(watched(view, () => (personal = true)))
    assignments.set(name, personal ? own : made)
    this.#filled.add(assignments)
    return made
  }

  /** What this holds is what was asked for since the last change, whoever has gone since. */
  #forget(revision: number): void {
    for (const assignments of this.#filled) assignments.clear()
    this.#filled.clear()
    this.#revision = revision
  }

  #find(view: ProxyView): Assignments<A> {
    const ofScope = this.#classes.get(view.scope) ?? new Map<string, Assignments<A>>()
    this.#classes.set(view.scope, ofScope)
    const key = classKey(view)
    const found = ofScope.get(key) ?? new Map()
    ofScope.set(key, found)
    this.#ofView.set(view, found)
    return found
  }
}

/** What clients of one class have in common; of the metadata, what the key takes of it. */
const common = {
  view: new Set<PropertyKey>(["ipMode", "locality", "proxy", "scope"]),
  proxy: new Set<PropertyKey>(["cluster", "metadata", "namespace", "network", "networkView", "type"]),
  metadata: new Set<PropertyKey>(["DISABLE_HBONE_SEND"])
}

/** Equal for views of one scope that differ in nothing that is common. */
const classKey = ({ ipMode, locality, proxy }: ProxyView): string => {
  const { cluster, metadata, namespace, network, networkView, type } = proxy
  const networks = networkView === undefined ? "*" : [...networkView].toSorted().join()
  const tunnels = String(metadata["DISABLE_HBONE_SEND"])
  return [type, namespace, cluster, network, networks, ipMode, formatLocality(locality), tunnels].join("|")
}

/** The same view; `noticed` is called when someone reads of it what is not common to its class. */
const watched = (view: ProxyView, noticed: () => void): ProxyView => {
  const metadata = watch(view.proxy.metadata, common.metadata, noticed)
  const proxy = watch({ ...view.proxy, metadata }, common.proxy, noticed)
  return watch({ ...view, proxy }, common.view, noticed)
}

const watch = <T extends object>(of: T, common: ReadonlySet<PropertyKey>, noticed: () => void): T =>
  new globalThis.Proxy(of, {
    get: (target, property) => {
      if (!common.has(property)) noticed()
      return Reflect.get(target, property)
    }
  })
