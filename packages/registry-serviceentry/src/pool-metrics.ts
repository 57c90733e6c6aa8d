import { Effect, Metric } from "effect"
import type { PoolUsage } from "./address-pool.ts"

/** Addresses of a pool that are in use, by family. */
export const poolUsed = Metric.gauge("istiod_lite_address_pool_used", {
  description: "Automatic addresses in use, by family; those in quarantine among them"
})

/** Addresses of a pool, by family. */
export const poolSize = Metric.gauge("istiod_lite_address_pool_size", {
  description: "Automatic addresses that there are, by family"
})

/** Addresses that nobody has, and that are given to nobody yet. */
export const poolQuarantined = Metric.gauge("istiod_lite_address_pool_quarantined", {
  description: "Automatic addresses that their ServiceEntries gave up, and that are given to nobody yet"
})

/** Tells how much of the pools is in use. */
export const measurePools = ({
  ipv4,
  ipv6,
  quarantined
}: {
  readonly ipv4: PoolUsage
  readonly ipv6: PoolUsage
  readonly quarantined: number
}): Effect.Effect<void> =>
  Effect.all(
    [
      ...[
        { family: "IPv4", ...ipv4 },
        { family: "IPv6", ...ipv6 }
      ].flatMap(({ family, size, used }) => [
        Metric.update(Metric.withAttributes(poolUsed, { family }), used),
        Metric.update(Metric.withAttributes(poolSize, { family }), size)
      ]),
      Metric.update(poolQuarantined, quarantined)
    ],
    { discard: true }
  )
