import { DiscoveryGraph, ObjectSource, type ServiceEntry, ServiceEntryStatuses } from "@istiod-lite/model"
import { Effect, Layer } from "effect"
import {
  defaultPools,
  StatusAllocator,
  type AllocatorState,
  type StatusAddresses
} from "./status-allocator.ts"

/** How the allocator starts and who keeps what it knows. */
export interface StatusAllocatorOptions {
  /** CIDRs; default 240.240.0.0/16 and 2001:2::/48 */
  readonly pools?: { readonly ipv4: string; readonly ipv6: string }
  /** what an earlier run left */
  readonly state?: AllocatorState
  /** called after each change, to keep the state */
  readonly onChange?: (state: AllocatorState) => void
}

/**
 * Runs the address allocator over the ServiceEntries of the source and gives its statuses to the registry, where
 * there is no API server to write them to.
 */
export const layerStatusAllocator = ({
  onChange,
  pools = defaultPools,
  state
}: StatusAllocatorOptions = {}): Layer.Layer<ServiceEntryStatuses, never, DiscoveryGraph | ObjectSource> =>
  Layer.effect(
    ServiceEntryStatuses,
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const { config } = yield* ObjectSource
      const allocator = new StatusAllocator(pools, state)
      const statuses = graph.source<StatusAddresses>("ServiceEntry statuses", {
        equals: (a, b) => JSON.stringify(a) === JSON.stringify(b)
      })
      const bringUpToDate = (entries: ReadonlyArray<ServiceEntry>): void => {
        allocator.warm(entries)
        for (const entry of entries) allocator.update(entry)
        statuses.replace(allocator.statuses)
        onChange?.(allocator.state())
      }
      bringUpToDate([...config.ServiceEntry.values()])
      const unsubscribe = config.ServiceEntry.subscribe((changes) => {
        // What is gone conflicts with nobody.
        for (const { key, now } of changes) if (now === undefined) allocator.remove(key)
        bringUpToDate(changes.flatMap(({ now }) => now ?? []))
      })
      yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
      return statuses
    })
  )
