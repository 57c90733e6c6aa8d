import {
  decodeObject,
  type DiscoveryGraph,
  Leadership,
  ObjectSource,
  ObjectWriter,
  objectKey,
  type RawObject,
  type WriteError
} from "@istiod-lite/model"
import { Clock, Duration, Effect, Layer, Queue } from "effect"
import { AddressKeeper, type StatusDecision } from "./address-keeper.ts"
import { measurePools } from "./pool-metrics.ts"
import { defaultPools, sameStatus, type StatusAddresses } from "./status-allocator.ts"
import { tellOnce } from "./tell-once.ts"

/** How automatic addresses are given where an API server keeps them. */
export interface StatusWriterOptions {
  /** CIDRs; default 240.240.0.0/16 and 2001:2::/48, as Istio's */
  readonly pools?: { readonly ipv4: string; readonly ipv6: string }
  /**
   * How long an address that nobody has any more, such as that of a deleted entry, is given to nobody. Default: 1 hour,
   * longer than clients go on to use a name that they have resolved.
   */
  readonly quarantine?: Duration.Input
}

/**
 * Gives automatic addresses to ServiceEntries and writes them to `status.addresses`, as Istio's controller does (D-8,
 * mode `status`). The leader alone writes; what an object's status says counts, on all replicas and on the leader too,
 * so nobody serves an address that was not written. A status that somebody else wrote, istiod among them, is kept; of
 * entries with one address, the oldest keeps it.
 *
 * A new leader does not know what was deleted before: it goes on after the highest address in use, so that addresses
 * that were given up of late are the last to be given again.
 */
export const layerStatusWriter = (
  options: StatusWriterOptions = {}
): Layer.Layer<never, never, DiscoveryGraph | ObjectSource | ObjectWriter | Leadership> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const source = yield* ObjectSource
      const writer = yield* ObjectWriter
      const leadership = yield* Leadership
      yield* Effect.forkScoped(leadership.whileLeading(Effect.scoped(allocating(options, source, writer))))
    })
  )

/** Between looks at what could not be written, and at what nobody has any more. */
const lookAgain = Duration.seconds(5)

/** Writes at a time: a cluster that gets its first allocator may have thousands of entries. */
const concurrency = 8

/** Allocates for as long as it runs. */
const allocating = Effect.fnUntraced(function* (
  { pools = defaultPools, quarantine = "1 hour" }: StatusWriterOptions,
  { clusters, config: { ServiceEntry: entries }, configCluster }: ObjectSource["Service"],
  writer: ObjectWriter["Service"]
) {
  // Other clusters have no say in this: nobody waits for them.
  while (clusters.get(configCluster)?.synced() !== true) yield* Effect.sleep("50 millis")
  const changed = yield* Queue.sliding<void>(1)
  const keeper = new AddressKeeper(entries, {
    pools,
    quarantineMillis: Duration.toMillis(Duration.fromInputUnsafe(quarantine)),
    lookEveryMillis: Duration.toMillis(lookAgain)
  })
  const unsubscribe = entries.subscribe((changes) => {
    keeper.observe(changes)
    Queue.offerUnsafe(changed, undefined)
  })
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))

  const tellUnavailable = tellOnce()
  const tellExhausted = tellOnce()
  const round = Effect.gen(function* () {
    const decisions = keeper.decide(yield* Clock.currentTimeMillis)
    const usage = keeper.usage()
    yield* measurePools(usage)
    const { size, used } = usage.ipv4
    yield* tellExhausted(
      used < size
        ? undefined
        : `All ${size} automatic IPv4 addresses of ${pools.ipv4} are in use, those that are kept from use for a while among ` +
            `them: new hosts get none. Give hosts addresses of their own (spec.addresses), or remove ServiceEntries.`
    )
    yield* Effect.forEach(decisions, (decision) => write(writer, keeper, decision), {
      concurrency,
      discard: true
    }).pipe(
      Effect.andThen(tellUnavailable(undefined)),
      // What one write fails with, the others would.
      Effect.catch(({ message }) =>
        tellUnavailable(`${message}. New hosts get no automatic addresses until they can be written.`)
      )
    )
  })
  return yield* Effect.forever(
    Effect.andThen(round, Effect.race(Queue.take(changed), Effect.sleep(lookAgain)))
  )
})

/** Fails: with what other writes would fail with, too. */
const write = (
  writer: ObjectWriter["Service"],
  keeper: AddressKeeper,
  decision: StatusDecision
): Effect.Effect<void, WriteError> =>
  Effect.suspend(() => (keeper.stands(decision) ? writeStatus(writer, decision) : Effect.void)).pipe(
    Effect.catch((error) => {
      const { message, problem } = error
      // What changed meanwhile is on its way to us, and is looked at then.
      if (problem === "conflict" || problem === "missing") return Effect.void
      return problem === "invalid"
        ? Effect.logWarning(`${message}. Its hosts have no automatic addresses.`)
        : Effect.fail(error)
    })
  )

/**
 * A status that somebody else wrote meanwhile is kept: the write is bound to the version that was just read, and that says
 * what the decision was made on. (Collections do not keep versions of objects.)
 */
const writeStatus = (
  writer: ObjectWriter["Service"],
  { entry: { meta, statusAddresses }, wanted }: StatusDecision
): Effect.Effect<void, WriteError> =>
  Effect.gen(function* () {
    const { name, namespace } = meta
    const reference = { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", namespace, name }
    const object = yield* writer.get(reference)
    if (object === undefined || !sameStatus(statusOf(object), statusAddresses)) return
    const { resourceVersion } = object.metadata
    const addresses = wanted.map(({ host, value }) => ({ value, host }))
    yield* writer.patch(
      reference,
      { status: { addresses: addresses.length === 0 ? null : addresses } },
      { subresource: "status", ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    )
    const said = wanted.map(({ host, value }) => `${host} ${value}`).join(", ") || "none"
    yield* Effect.logInfo(`Automatic addresses of ServiceEntry ${objectKey(meta)}: ${said}`)
  })

const statusOf = (object: RawObject): StatusAddresses => {
  const decoded = decodeObject(object, { isChecked: true })
  return decoded.outcome === "object" && decoded.kind === "ServiceEntry" ? decoded.object.statusAddresses : []
}
