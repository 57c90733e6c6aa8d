import { assert, describe, it } from "@effect/vitest"
import type { WriteProblem } from "@istiod-lite/model"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { AllocatingReplicas, entryReference, rawEntry, settled } from "./testing/allocating-replicas.ts"

type Step =
  | { readonly what: "put" | "delete" | "optOut"; readonly name: string }
  | { readonly what: "twoHosts"; readonly name: string }
  /** the user's own address */
  | { readonly what: "own"; readonly name: string; readonly number: number }
  /** another allocator writes a status, free or not */
  | { readonly what: "foreign"; readonly name: string; readonly number: number }
  /** so many of the next calls fail before or after they are done */
  | { readonly what: "fail"; readonly calls: number; readonly when: "before" | "after" }
  | { readonly what: "lead"; readonly replica: number }
  /** a replica does not learn what changes until it catches up */
  | { readonly what: "lag" | "catchUp"; readonly replica: number }
  | { readonly what: "wait"; readonly millis: number }

const name = fc.constantFrom("a", "b", "c", "d")
const replica = fc.nat({ max: 1 })
const number = fc.integer({ min: 1, max: 5 })
const wait = fc.record({ what: fc.constant("wait" as const), millis: fc.constantFrom(0, 300, 6000, 70_000) })
const calm: ReadonlyArray<fc.WeightedArbitrary<Step>> = [
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constantFrom("put" as const, "twoHosts" as const), name })
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("delete" as const), name }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("lead" as const), replica }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("fail" as const),
      calls: fc.integer({ min: 1, max: 4 }),
      when: fc.constantFrom("before" as const, "after" as const)
    })
  },
  { weight: 4, arbitrary: wait }
]
const wild: ReadonlyArray<fc.WeightedArbitrary<Step>> = [
  ...calm,
  { weight: 1, arbitrary: fc.record({ what: fc.constant("optOut" as const), name }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("own" as const), name, number }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("foreign" as const), name, number }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom("lag" as const, "catchUp" as const), replica }) }
]

const address = (of: number): string => `240.240.0.${of}`

const optOut = { "networking.istio.io/enable-autoallocate-ip": "false" }

/** Puts an entry as its user writes it: what its status says stays. */
const put = (
  world: AllocatingReplicas,
  name: string,
  spec: Readonly<Record<string, unknown>>,
  labels: Readonly<Record<string, string>> = {}
): void => {
  const before = world.memory.find("ServiceEntry", "shop", name)
  // Each is a second younger than the last one.
  const age = world.memory.objects.length
  const creationTimestamp =
    before?.metadata.creationTimestamp ?? new Date(Date.UTC(2026, 0, 1) + age * 1000).toISOString()
  const next = rawEntry(name, spec, { creationTimestamp, labels })
  world.memory.put(before?.status === undefined ? next : { ...next, status: before.status })
}

const putForeignStatus = (world: AllocatingReplicas, name: string, number: number): void => {
  const there = world.memory.find("ServiceEntry", "shop", name)
  if (there === undefined) return
  const host = `${name}.vendor.example`
  const addresses = [address(number), `2001:2::${number}`].map((value) => ({ host, value }))
  world.memory.put({ ...there, status: { addresses } })
}

const take = Effect.fnUntraced(function* (world: AllocatingReplicas, step: Step) {
  if (step.what === "put") put(world, step.name, {})
  else if (step.what === "twoHosts") {
    put(world, step.name, { hosts: [`${step.name}.vendor.example`, `${step.name}.other.example`] })
  } else if (step.what === "optOut") put(world, step.name, {}, optOut)
  else if (step.what === "own") put(world, step.name, { addresses: [address(step.number)] })
  else if (step.what === "foreign") putForeignStatus(world, step.name, step.number)
  else if (step.what === "delete") yield* Effect.ignore(world.memory.writer.delete(entryReference(step.name)))
  else if (step.what === "fail") {
    let left = step.calls
    world[step.when] = () =>
      Effect.suspend((): Effect.Effect<void, WriteProblem> =>
        left-- > 0 ? Effect.fail("unavailable") : Effect.void
      )
  } else if (step.what === "lead") yield* world.lead(step.replica)
  else if (step.what === "lag") world.replicas[step.replica]?.lag()
  else if (step.what === "catchUp") world.replicas[step.replica]?.catchUp()
  else if (step.what === "wait") yield* TestClock.adjust(step.millis)
})

const texts = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])

/** The hosts that take addresses. */
const eligible = (world: AllocatingReplicas): ReadonlyArray<string> =>
  world.memory.objects
    .filter(
      ({ metadata, spec }) => spec?.addresses === undefined && Object.keys(metadata.labels ?? {}).length === 0
    )
    .flatMap(({ spec }) => texts(spec?.hosts))
    .toSorted()

const written = (world: AllocatingReplicas): ReadonlyArray<string> =>
  world.memory.objects.flatMap(({ metadata }) => world.addressesOf(metadata.name))

const owned = (world: AllocatingReplicas): ReadonlyArray<string> =>
  world.memory.objects.flatMap(({ spec }) => texts(spec?.addresses))

const valueOf = (text: string): string => text.split("=")[1] ?? ""
const hostOf = (text: string): string => text.split("=")[0] ?? ""

/** Runs the steps, then waits until all is quiet. Looks at the world after every step. */
const run = (steps: ReadonlyArray<Step>, look: (world: AllocatingReplicas) => void) =>
  Effect.gen(function* () {
    const world = yield* AllocatingReplicas.make()
    for (const step of steps) {
      yield* take(world, step)
      look(world)
    }
    world.before = world.after = () => Effect.void
    for (const one of world.replicas) one.catchUp()
    // Everybody looks again every five seconds.
    for (let i = 0; i < 4; i++) yield* TestClock.adjust("5 seconds")
    yield* settled
    look(world)
    let calls = 0
    world.before = ({ verb }) => Effect.sync(() => void (verb === "patch" && calls++))
    for (let i = 0; i < 4; i++) yield* TestClock.adjust("5 seconds")
    return { world, calls }
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))))

/** What holds once nothing changes any more, whatever was before. */
const assertQuiet = ({
  calls,
  world
}: {
  readonly calls: number
  readonly world: AllocatingReplicas
}): void => {
  const all = written(world)
  const values = all.map(valueOf)
  assert.deepStrictEqual([...new Set(all.map(hostOf))].toSorted(), eligible(world))
  assert.lengthOf(all, 2 * eligible(world).length, "an address of each family")
  assert.lengthOf(new Set([...values, ...new Set(owned(world))]), values.length + new Set(owned(world)).size)
  assert.strictEqual(calls, 0, "nobody writes any more")
}

const steps = (of: ReadonlyArray<fc.WeightedArbitrary<Step>>) =>
  fc.array(fc.oneof(...of), { maxLength: 30, size: "max" })

/** A host comes back after a new leader gave its address to another; the address of its sibling is still its sibling's. */
const givenUpAndBack: ReadonlyArray<Step> = [
  { what: "twoHosts", name: "c" },
  { what: "wait", millis: 0 },
  { what: "own", name: "c", number: 1 },
  { what: "fail", calls: 1, when: "before" },
  { what: "own", name: "a", number: 3 },
  { what: "put", name: "b" },
  { what: "lead", replica: 1 },
  { what: "wait", millis: 0 },
  { what: "twoHosts", name: "c" }
]

describe("layerStatusWriter, whatever happens", () => {
  it("moves no host, through lost writes and changes of leader", async () => {
    await fc.assert(
      fc.asyncProperty(steps(calm), async (all) => {
        let known = new Map<string, string>()
        const moved: Array<string> = []
        const look = (world: AllocatingReplicas): void => {
          const hosts = eligible(world)
          const now = new Map(
            written(world)
              .filter((text) => hosts.includes(hostOf(text)))
              .map((text) => [`${hostOf(text)} ${text.includes("::")}`, text])
          )
          moved.push(...[...now].flatMap(([key, text]) => ((known.get(key) ?? text) === text ? [] : [text])))
          known = now
        }
        assertQuiet(await Effect.runPromise(run(all, look)))
        assert.deepStrictEqual(moved, [])
      }),
      { numRuns: 60 }
    )
  }, 60_000)

  it("ends with an address for every host, each once, beside another allocator and users", async () => {
    await fc.assert(
      fc.asyncProperty(steps(wild), async (all) => {
        assertQuiet(await Effect.runPromise(run(all, () => undefined)))
      }),
      { numRuns: 60, examples: [[[...givenUpAndBack]]] }
    )
  }, 60_000)
})
