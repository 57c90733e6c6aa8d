import type { Change, Collection } from "@istiod-lite/collections"
import type { DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { noInputChanges } from "../compose/inputs.ts"
import { allocateAddresses } from "./allocate-addresses.ts"
import type { PlannedObject } from "./read-change.ts"
import type { DiscoveryDifferences } from "./service-plans.ts"

/** Applies all objects together, and what an allocator makes of them; gives what became of the phone book. */
export const applyChange = (
  { discovery, inputs }: DetachedControlPlane,
  objects: ReadonlyArray<PlannedObject>
): DiscoveryDifferences => {
  const services = gather(discovery.services)
  const endpoints = gather(discovery.endpoints)
  const { ServiceEntry } = inputs.source.config
  const before = [...ServiceEntry.values()]
  inputs.apply({ ...noInputChanges, objects: objects.flatMap(({ change }) => change ?? []) })
  if (inputs.statuses !== undefined)
    inputs.apply(allocateAddresses(new Map(inputs.statuses.entries()), before, ServiceEntry.values()))
  return { services: services.end(), endpoints: endpoints.end() }
}

/** What becomes of a collection from now until the end, over any number of transactions. */
const gather = <V>(collection: Collection<V>): { readonly end: () => ReadonlyArray<Change<V>> } => {
  const gathered = new Map<string, Change<V>>()
  const unsubscribe = collection.subscribe((changes) => {
    for (const { key, now, old } of changes) {
      const first = gathered.get(key)
      gathered.set(key, { key, old: first === undefined ? old : first.old, now })
    }
  })
  return {
    end: () => {
      unsubscribe()
      return [...gathered.values()].filter(({ now, old }) => now !== old)
    }
  }
}
