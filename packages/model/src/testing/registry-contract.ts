import { type Collection, type Graph, untracked } from "@istiod-lite/collections"
import { assertReplays } from "@istiod-lite/collections/testing"
import assert from "node:assert/strict"
import type { ProxyQueries, Registry, ServiceEndpoints } from "../capabilities.ts"
import { type EndpointGroup, shardKey } from "../endpoint.ts"
import { keyOfService, type Service, serviceKey } from "../service.ts"
import { proxy } from "./builders.ts"

/** What the contract looks at: a registry, or the aggregate of several. */
export interface RegistryFace extends ProxyQueries {
  readonly services: Collection<Service>
  readonly endpoints: Collection<EndpointGroup | ServiceEndpoints>
  /** the shards that its endpoints may be in */
  readonly shards: ReadonlyArray<string>
  readonly synced: () => boolean
}

/** Something that is added to what the registry reads, and taken out again. Changes do not depend on their order. */
export interface RegistryChange {
  readonly name: string
  readonly apply: () => void
  readonly undo: () => void
}

/** An empty registry on a graph of its own, with changes that together give it services and endpoints. */
export interface RegistrySubject {
  readonly graph: Graph
  readonly registry: RegistryFace
  readonly changes: ReadonlyArray<RegistryChange>
}

/** A law that every registry keeps; `check` throws where it does not. */
export interface RegistryLaw {
  readonly name: string
  readonly check: () => void
}

export const faceOf = (registry: Registry): RegistryFace => ({
  services: registry.services,
  endpoints: registry.endpoints,
  shards: [shardKey(registry.provider, registry.cluster)],
  synced: registry.synced,
  targets: registry.targets,
  workloadLabels: registry.workloadLabels,
  reads: registry.reads
})

/** The contract of registries, one test for each law: `it.each(registryContract(make))("$name", ({ check }) => assert.doesNotThrow(check))`. */
export const registryContract = (make: () => RegistrySubject): ReadonlyArray<RegistryLaw> => [
  law("services and endpoints come from what is there", make, (subject) => {
    applyAll(subject)
    const { endpoints, services, synced } = subject.registry
    assert.ok(services.size > 0, "the changes give no service")
    assert.ok(endpointsOf(endpoints).length > 0, "the changes give no endpoint")
    assert.ok(synced(), "not synced")
  }),

  law("services are complete and told once", make, (subject) => {
    applyAll(subject)
    const identities = [...subject.registry.services.values()].map((service) => {
      assert.notEqual(service.hostname, "")
      for (const { number } of service.ports) assert.ok(number >= 1 && number <= 65_535, `port ${number}`)
      return `${service.provider} ${keyOfService(service)} ${service.objectName} ${service.defaultAddress}`
    })
    assert.equal(new Set(identities).size, identities.length, identities.toSorted().join("\n"))
  }),

  law("endpoints belong to a service and a shard that exist", make, (subject) => {
    applyAll(subject)
    const { endpoints, services, shards } = subject.registry
    const known = new Set([...services.values()].map(keyOfService))
    for (const group of groupsOf(endpoints)) {
      assert.ok(shards.includes(group.shard), `shard ${group.shard}`)
      assert.ok(known.has(serviceKey(group.namespace, group.hostname)), `service ${group.hostname}`)
    }
  }),

  law("a transaction is published once, and batches replay", make, (subject) => {
    const { endpoints, services } = subject.registry
    let publications = 0
    services.subscribe(() => publications++)
    const checks = [assertReplays(services), assertReplays(endpoints)]
    subject.graph.transaction(() => applyAll(subject))
    assert.equal(publications, 1)
    for (const { undo } of subject.changes) undo()
    for (const check of checks) check()
  }),

  law("a change that is repeated publishes nothing", make, (subject) => {
    applyAll(subject)
    const { endpoints, services } = subject.registry
    const published: Array<string> = []
    services.subscribe((changes) => published.push(...changes.map(({ key }) => key)))
    endpoints.subscribe((changes) => published.push(...changes.map(({ key }) => key)))
    applyAll(subject)
    assert.deepEqual(published, [])
  }),

  law("the state is the same for any order of arrival", make, (subject) => {
    applyAll(subject)
    const expected = stateOf(subject.registry)
    for (const order of ordersOf(subject.changes.length)) {
      const other = make()
      for (const i of order) other.changes[i]?.apply()
      assert.equal(stateOf(other.registry), expected, `order ${order.join()}`)
    }
  }),

  law("removal leaves nothing", make, (subject) => {
    const before = subject.graph.sizes()
    applyAll(subject)
    for (const { undo } of subject.changes) undo()
    assert.equal(subject.registry.services.size, 0)
    assert.deepEqual(groupsOf(subject.registry.endpoints), [])
    assert.deepEqual(subject.graph.sizes(), before)
  }),

  law("an unknown proxy has no targets and no labels", make, (subject) => {
    applyAll(subject)
    const unknown = proxy({ name: "nobody", namespace: "nowhere", ips: ["203.0.113.254"] })
    assert.deepEqual(subject.registry.targets(untracked, unknown), [])
    assert.equal(subject.registry.workloadLabels(untracked, unknown), undefined)
  })
]

const law = (
  name: string,
  make: () => RegistrySubject,
  check: (subject: RegistrySubject) => void
): RegistryLaw => ({ name, check: () => check(make()) })

const applyAll = ({ changes }: RegistrySubject): void => {
  for (const { apply } of changes) apply()
}

const groupsOf = (endpoints: RegistryFace["endpoints"]): ReadonlyArray<EndpointGroup> =>
  [...endpoints.values()].flatMap((value) => ("groups" in value ? value.groups : [value]))

const endpointsOf = (endpoints: RegistryFace["endpoints"]) =>
  groupsOf(endpoints).flatMap((group) => group.endpoints)

/** Backwards, and every rotation: each change is first once and last once. */
const ordersOf = (count: number): ReadonlyArray<ReadonlyArray<number>> => {
  const forwards = Array.from({ length: count }, (_, i) => i)
  return [forwards.toReversed(), ...forwards.map((i) => [...forwards.slice(i), ...forwards.slice(0, i)])]
}

/** Services and endpoints as text. Versions only order the writings of one object, so they do not count (D-15). */
const stateOf = ({ endpoints, services }: RegistryFace): string =>
  [...textsOf(services), ...textsOf(endpoints)].join("\n")

const textsOf = (collection: Collection<unknown>): ReadonlyArray<string> =>
  [...collection.entries()]
    .map(
      ([key, value]) =>
        `${key} ${JSON.stringify(value, (name, it) => (name === "resourceVersion" ? "" : it))}`
    )
    .toSorted()
