import type { Collection } from "@istiod-lite/collections"
import { DiscoveryGraph, isIp, MeshConfig, meshKey, Registries } from "@istiod-lite/model"
import { Context, Effect, FiberMap, Layer, Schedule } from "effect"
import { Dns, NetAddress } from "effect/net"
import { allGateways } from "./mesh-gateways.ts"

/** How often the name of a network gateway is looked up again: Istio's shortest interval. */
const refreshInterval = "30 seconds"

/** The addresses of network gateways that are named by hostname, by hostname (S-44). */
export class GatewayAddresses extends Context.Service<
  GatewayAddresses,
  { readonly byHostname: Collection<ReadonlyArray<string>> }
>()("@istiod-lite/registry-aggregate/GatewayAddresses") {
  /** Resolves nothing. */
  static readonly layerNone: Layer.Layer<GatewayAddresses, never, DiscoveryGraph> = Layer.effect(
    GatewayAddresses,
    Effect.map(DiscoveryGraph, (graph) =>
      GatewayAddresses.of({ byHostname: graph.source("gateway addresses") })
    )
  )

  /**
   * Looks up every hostname that a gateway has now, and again at an interval. A failed lookup keeps the last good
   * addresses and is logged; a hostname that no gateway has any more is forgotten.
   */
  static readonly layerDns: Layer.Layer<
    GatewayAddresses,
    never,
    DiscoveryGraph | Registries | MeshConfig | Dns.Dns
  > = Layer.effect(
    GatewayAddresses,
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const registries = yield* Registries
      const mesh = yield* MeshConfig
      const dns = yield* Dns.Dns
      const byHostname = graph.source<ReadonlyArray<string>>("gateway addresses", {
        equals: (a, b) => a.join() === b.join()
      })
      const lookups = yield* FiberMap.make<string>()
      const run = yield* FiberMap.runtime(lookups)()

      const keepUp = (hostname: string): Effect.Effect<void> =>
        dns.lookup(hostname).pipe(
          Effect.map((addresses) => {
            byHostname.set(hostname, addresses.map((address) => NetAddress.formatIp(address)).toSorted())
          }),
          Effect.catch((error) =>
            Effect.logWarning(
              `Cannot resolve network gateway ${hostname}: ${error.message}: keeping ${byHostname.get(hostname)?.join(", ") ?? "no address"}`
            )
          ),
          Effect.repeat(Schedule.spaced(refreshInterval)),
          Effect.asVoid
        )

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
      return GatewayAddresses.of({ byHostname })
    })
  )
}
