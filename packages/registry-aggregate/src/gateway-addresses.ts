import type { Collection } from "@istiod-lite/collections"
import { DiscoveryGraph, isIp, MeshConfig, meshKey, Registries } from "@istiod-lite/model"
import { Context, type Duration, Effect, FiberMap, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import { allGateways } from "./mesh-gateways.ts"

/** How the names of network gateways are looked up. */
export interface GatewayLookups {
  /** After an answer: Istio's shortest interval, as the system's resolver tells no lifetime. */
  readonly refresh: Duration.Input
  /** After a failure, which may be short. */
  readonly retry: Duration.Input
  /** When a resolver that is silent counts as failed: serving waits for the first answer (S-82). */
  readonly timeout: Duration.Input
}

const defaultLookups: GatewayLookups = { refresh: "30 seconds", retry: "5 seconds", timeout: "5 seconds" }

/** The addresses of network gateways that are named by hostname, by hostname (S-44). */
export class GatewayAddresses extends Context.Service<
  GatewayAddresses,
  {
    /** no addresses: the hostname has never been resolved */
    readonly byHostname: Collection<ReadonlyArray<string>>
    /** hostnames whose first lookup has neither succeeded nor failed yet */
    readonly pending: () => ReadonlyArray<string>
  }
>()("@istiod-lite/registry-aggregate/GatewayAddresses") {
  /** Resolves nothing. */
  static readonly layerNone: Layer.Layer<GatewayAddresses, never, DiscoveryGraph> = Layer.effect(
    GatewayAddresses,
    Effect.map(DiscoveryGraph, (graph) =>
      GatewayAddresses.of({ byHostname: graph.source("gateway addresses"), pending: () => [] })
    )
  )

  /**
   * Looks up every hostname that a gateway has now, and again at an interval. A failed lookup keeps the last good
   * addresses and is retried; its first failure is logged. A hostname that no gateway has any more is forgotten.
   */
  static readonly layerDns = (
    lookups: Partial<GatewayLookups> = {}
  ): Layer.Layer<GatewayAddresses, never, DiscoveryGraph | Registries | MeshConfig | Dns.Dns> =>
    Layer.effect(
      GatewayAddresses,
      Effect.gen(function* () {
        const graph = yield* DiscoveryGraph
        const registries = yield* Registries
        const mesh = yield* MeshConfig
        const dns = yield* Dns.Dns
        const { refresh, retry, timeout } = { ...defaultLookups, ...lookups }
        const byHostname = graph.source<ReadonlyArray<string>>("gateway addresses", {
          equals: (a, b) => a.join() === b.join()
        })
        const fibers = yield* FiberMap.make<string>()
        const run = yield* FiberMap.runtime(fibers)()

        const keepUp = (hostname: string): Effect.Effect<void> => {
          let failing = false
          const failed = (reason: string): Effect.Effect<Duration.Input> => {
            const kept = byHostname.get(hostname) ?? []
            byHostname.set(hostname, kept)
            if (failing) return Effect.succeed(retry)
            failing = true
            const now = kept.length === 0 ? "it has no address yet" : `${kept.join(", ")} stays`
            return Effect.as(
              Effect.logWarning(`Cannot resolve network gateway ${hostname}: ${reason}: ${now}`),
              retry
            )
          }
          return dns.lookup(hostname).pipe(
            Effect.map((addresses): Duration.Input => {
              failing = false
              byHostname.set(hostname, addresses.map((address) => NetAddress.formatIp(address)).toSorted())
              return refresh
            }),
            Effect.timeout(timeout),
            Effect.catch((error) => failed(error.message)),
            Effect.flatMap(Effect.sleep),
            Effect.forever
          )
        }

        const wanted = new Set<string>()
        const follow = (): void => {
          const networks = mesh.get(meshKey)?.networks ?? {}
          const hostnames = new Set(
            allGateways(networks, [...registries.gateways.values()])
              .map(({ address }) => address)
              .filter((address) => !isIp(address))
          )
          for (const hostname of hostnames) {
            if (wanted.has(hostname)) continue
            wanted.add(hostname)
            run(hostname, keepUp(hostname))
          }
          for (const hostname of wanted) {
            if (hostnames.has(hostname)) continue
            wanted.delete(hostname)
            run(
              hostname,
              Effect.sync(() => byHostname.delete(hostname))
            )
          }
        }
        follow()
        const unsubscribes = [mesh.subscribe(follow), registries.gateways.subscribe(follow)]
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => unsubscribes.forEach((unsubscribe) => unsubscribe()))
        )
        return GatewayAddresses.of({
          byHostname,
          pending: () => [...wanted].filter((hostname) => byHostname.get(hostname) === undefined)
        })
      })
    )
}
