import { untracked } from "@istiod-lite/collections"
import type { Proxy, Registry, Service, ServiceEndpoints } from "@istiod-lite/model"
import type { AccountMemory } from "./account-memory.ts"
import { equalValues } from "./equal-values.ts"
import type { Plane } from "./simulated-plane.ts"

/** Something in which a served control plane is not as it should be. */
export interface Difference {
  /** what was compared, such as `services` */
  readonly what: string
  readonly key: string
  readonly served: unknown
  readonly expected: unknown
}

type Facet = ReadonlyMap<string, unknown>

/** A service's version tells of changes that no client sees (D-15). */
const withoutVersion = (service: Service): unknown => ({ ...service, resourceVersion: "" })

/** Which slice an address stands in is settled; what was held back is told by the registries' own groups. */
const asClientsTell = ({ groups, ...endpoints }: ServiceEndpoints): unknown => ({
  ...endpoints,
  groups: groups.map(({ endpoints: all, shard }) => ({ shard, endpoints: all }))
})

const mapped = <A>(
  entries: Iterable<readonly [string, A]>,
  change: (value: A, key: string) => unknown
): Facet => new Map(Array.from(entries, ([key, value]) => [key, change(value, key)]))

/** What is compared of two control planes as a whole. */
const facetsOf = (plane: Plane, memory: AccountMemory | undefined): ReadonlyMap<string, Facet> =>
  new Map<string, Facet>([
    ["registries", mapped(plane.registries.all.entries(), ({ precedence }) => precedence)],
    ["services of registries", mapped(plane.registries.services.entries(), withoutVersion)],
    ["endpoints of registries", new Map(plane.registries.endpoints.entries())],
    ["workloads", new Map(plane.workloads.all.entries())],
    ["known proxies", new Map([...plane.registries.all.values()].flatMap(knownProxies))],
    ["services", mapped(plane.discovery.services.entries(), withoutVersion)],
    [
      "endpoints",
      mapped(plane.discovery.endpoints.entries(), (endpoints, key) =>
        asClientsTell(memory?.recall(key, endpoints) ?? endpoints)
      )
    ],
    ["network gateways", new Map(plane.discovery.gateways.entries())],
    ["sizes", sizesOf(plane)]
  ])

/** What is compared as one proxy sees it. */
const facetsFor = (plane: Plane, proxy: Proxy): ReadonlyMap<string, Facet> => {
  const view = plane.policy.viewOf(untracked, proxy)
  const targets = plane.discovery.targets(untracked, proxy)
  return new Map<string, Facet>([
    ["cluster names", new Map(plane.policy.clusterNames(untracked, view).map((name) => [name, true]))],
    [
      "addresses",
      new Map(
        view.scope.services.map((service) => [
          service.hostname,
          plane.policy.addresses(untracked, view, service)
        ])
      )
    ],
    [
      "targets",
      new Map([
        [
          "of the workload",
          targets.map(({ port, service, targetPort }) => [service.hostname, port, targetPort])
        ]
      ])
    ],
    [
      "place",
      new Map<string, unknown>([
        ["labels", view.labels],
        ["locality", view.locality]
      ])
    ]
  ])
}

const firstDifference = (what: string, served: Facet, expected: Facet): Difference | undefined => {
  if (equalValues(served, expected)) return undefined
  const keys = [...new Set([...served.keys(), ...expected.keys()])].toSorted()
  const key = keys.find((one) => !equalValues(served.get(one), expected.get(one))) ?? ""
  return { what, key, served: served.get(key), expected: expected.get(key) }
}

const compareFacets = (
  served: ReadonlyMap<string, Facet>,
  expected: ReadonlyMap<string, Facet>,
  suffix = ""
): Difference | undefined => {
  for (const [what, facet] of expected) {
    const difference = firstDifference(`${what}${suffix}`, served.get(what) ?? new Map(), facet)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** The first difference between a served control plane and one built from the objects that there are, if any. */
export const comparePlanes = (served: Plane, rebuilt: Plane, memory: AccountMemory): Difference | undefined =>
  compareFacets(facetsOf(served, undefined), facetsOf(rebuilt, memory))

/** The same as one proxy sees them. */
export const compareForProxy = (served: Plane, rebuilt: Plane, proxy: Proxy): Difference | undefined =>
  compareFacets(facetsFor(served, proxy), facetsFor(rebuilt, proxy), ` of ${proxy.id}`)

/** What was asked of a served plane differs from what was asked of one that was just built. */
const sizesOf = ({ graph }: Plane): Facet => {
  graph.wakeAll()
  return new Map(Object.entries(graph.sizes()))
}

const knownProxies = ({ id, proxies }: Registry): ReadonlyArray<readonly [string, unknown]> =>
  Array.from(proxies?.entries() ?? [], ([key, value]) => [`${id}|${key}`, value])
