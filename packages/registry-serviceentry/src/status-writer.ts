import {
  type DiscoveryGraph,
  Leadership,
  objectKey,
  ObjectSource,
  ObjectWriter,
  type RawObject,
  type ServiceEntry,
  type WriteError
} from "@istiod-lite/model"
import { Clock, Duration, Effect, Layer, Metric, Queue } from "effect"
import { defaultPools, StatusAllocator, type StatusAddresses } from "./status-allocator.ts"

/** How automatic addresses are given where an API server keeps them. */
export interface StatusWriterOptions {
  /** CIDRs; default 240.240.0.0/16 and 2001:2::/48, as Istio's */
  readonly pools?: { readonly ipv4: string; readonly ipv6: string }
  /**
   * How long the address of a deleted entry is given to nobody. Default: 1 hour, longer than clients go on to use a name
   * that they have resolved.
   */
  readonly quarantine?: Duration.Input
}

/** Addresses of a pool that are in use, by family; those in quarantine are among them. */
export const poolUsed = Metric.gauge("istiod_lite_address_pool_used", {
  description: "Automatic addresses in use, by family; those in quarantine among them"
})
/** Addresses of a pool, by family. */
export const poolSize = Metric.gauge("istiod_lite_address_pool_size", {
  description: "Automatic addresses that there are, by family"
})
/** Addresses of deleted entries that are given to nobody yet. */
export const poolQuarantined = Metric.gauge("istiod_lite_address_pool_quarantined", {
  description: "Automatic addresses of deleted ServiceEntries that are given to nobody yet"
})

/**
 * Gives automatic addresses to ServiceEntries and writes them to `status.addresses`, as Istio's controller does (D-8,
 * mode `status`). The leader alone writes; what an object's status says counts, on all replicas and on the leader too,
 * so nobody serves an address that was not written. A status that somebody else wrote, istiod among them, is kept.
 *
 * A new leader does not know what was deleted before: it goes on after the highest address in use, so such addresses are
 * the last to be given again.
 */
export const layerStatusWriter = (
  options: StatusWriterOptions = {}
): Layer.Layer<never, never, DiscoveryGraph | ObjectSource | ObjectWriter | Leadership> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const source = yield* ObjectSource
      const writer = yield* ObjectWriter
      const leadership = yield* Leadership
      const work = Effect.scoped(allocating(options, source, writer))
      yield* Effect.forkScoped(leadership.whileLeading(work))
    })
  )

/** Between looks at entries whose status could not be written, and at the quarantine. */
const lookAgain = Duration.seconds(5)

const allocating = Effect.fnUntraced(function* (
  { pools = defaultPools, quarantine = "1 hour" }: StatusWriterOptions,
  source: ObjectSource["Service"],
  writer: ObjectWriter["Service"]
) {
  const { ServiceEntry: entries } = source.config
  const changed = yield* Queue.sliding<void>(1)
  const quarantined = new Quarantine(Duration.toMillis(Duration.fromInputUnsafe(quarantine)))
  yield* Effect.repeat(Effect.sleep("50 millis"), { until: source.synced })
  const allocator = new StatusAllocator(pools)
  allocator.warm(entries.values())
  allocator.skipUsed()
  const clock = yield* Clock.Clock
  const updated = new Map<string, ServiceEntry>(entries.entries())
  const unsubscribe = entries.subscribe((changes) => {
    for (const { key, now } of changes) {
      if (now === undefined) quarantined.add(allocator.remove(key), clock.currentTimeMillisUnsafe())
      else updated.set(key, now)
    }
    Queue.offerUnsafe(changed, undefined)
  })
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
  let told = ""
  let isExhaustionTold = false
  const round = Effect.gen(function* () {
    for (const address of quarantined.take(clock.currentTimeMillisUnsafe())) allocator.forget(address)
    allocator.warm(updated.values())
    for (const entry of updated.values()) allocator.update(entry)
    updated.clear()
    yield* measure(allocator, quarantined.size)
    const { size, used } = allocator.usage().ipv4
    if (used >= size && !isExhaustionTold) {
      yield* Effect.logWarning(
        `All ${size} automatic IPv4 addresses of ${pools.ipv4} are in use, ${quarantined.size} of them in quarantine: ` +
          "new hosts get none. Give hosts addresses of their own (spec.addresses), or remove ServiceEntries."
      )
    }
    isExhaustionTold = used >= size
    // One at a time: there are few changes, and many entries only once.
    for (const [key, entry] of entries.entries()) {
      const wanted = allocator.statuses.get(key) ?? []
      if (sameAddresses(wanted, entry.statusAddresses)) continue
      yield* writeStatus(writer, entry, wanted).pipe(
        Effect.tap(() => Effect.sync(() => (told = ""))),
        Effect.catch(({ message, problem }: WriteError) => {
          if (problem === "conflict" || problem === "missing" || message === told) return Effect.void
          told = message
          return Effect.logWarning(`${message}. Its hosts have no automatic addresses until it is written.`)
        })
      )
    }
  })
  yield* Effect.forever(Effect.andThen(round, Effect.race(Queue.take(changed), Effect.sleep(lookAgain))))
})

const writeStatus = (
  writer: ObjectWriter["Service"],
  { meta: { name, namespace } }: ServiceEntry,
  wanted: StatusAddresses
): Effect.Effect<void, WriteError> =>
  Effect.gen(function* () {
    const reference = { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", namespace, name }
    const object = yield* writer.get(reference)
    if (object === undefined || sameAddresses(wanted, addressesIn(object))) return
    const { resourceVersion } = object.metadata
    const addresses = wanted.map(({ host, value }) => ({ value, host }))
    yield* writer.patch(
      reference,
      { status: { addresses: addresses.length === 0 ? null : addresses } },
      { subresource: "status", ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    )
    const said = wanted.map(({ host, value }) => `${host} ${value}`).join(", ") || "none"
    yield* Effect.logInfo(`Automatic addresses of ServiceEntry ${objectKey({ namespace, name })}: ${said}`)
  })

const addressesIn = ({ status }: RawObject): StatusAddresses =>
  Array.isArray(status?.addresses)
    ? status.addresses.flatMap((one: unknown) =>
        typeof one === "object" && one !== null && "value" in one && "host" in one
          ? [{ host: String(one.host), value: String(one.value) }]
          : []
      )
    : []

const sameAddresses = (a: StatusAddresses, b: StatusAddresses): boolean =>
  a.length === b.length && a.every(({ host, value }, i) => host === b[i]?.host && value === b[i].value)

const measure = (allocator: StatusAllocator, inQuarantine: number): Effect.Effect<void> => {
  const { ipv4, ipv6 } = allocator.usage()
  return Effect.all(
    [
      Metric.update(Metric.withAttributes(poolUsed, { family: "IPv4" }), ipv4.used),
      Metric.update(Metric.withAttributes(poolUsed, { family: "IPv6" }), ipv6.used),
      Metric.update(Metric.withAttributes(poolSize, { family: "IPv4" }), ipv4.size),
      Metric.update(poolQuarantined, inQuarantine)
    ],
    { discard: true }
  )
}

/** Addresses that wait until nobody uses them any more. */
class Quarantine {
  readonly #duration: number
  readonly #since = new Map<string, number>()

  constructor(duration: number) {
    this.#duration = duration
  }

  get size(): number {
    return this.#since.size
  }

  add(addresses: ReadonlyArray<string>, now: number): void {
    for (const address of addresses) this.#since.set(address, now)
  }

  /** Those whose time is over; they are not in quarantine any more. */
  take(now: number): ReadonlyArray<string> {
    const over = [...this.#since].flatMap(([address, since]) =>
      now - since >= this.#duration ? [address] : []
    )
    for (const address of over) this.#since.delete(address)
    return over
  }
}
