import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey
} from "@istiod-lite/model"
import { Context, Effect, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { GatewayAddresses } from "./gateway-addresses.ts"
import { layerRegistries } from "./registries.ts"

const name = "gate.west.example"
const address = NetAddress.ipFromStringUnsafe
const failure = new Dns.DnsError({ reason: "ServerFailure", method: "lookup", hostname: name })
const named = (...gateways: ReadonlyArray<string>): MeshConfigValue => ({
  ...defaultMeshConfig,
  networks: { west: { endpoints: [], gateways: gateways.map((one) => ({ address: one, port: 15443 })) } }
})

/** A mesh with one named gateway, and a resolver that says what the test says; `undefined` is silence. */
const follow = (answers: { now: ReadonlyArray<string> | "fails" | undefined; asked: number }) =>
  Effect.gen(function* () {
    const graph = yield* DiscoveryGraph
    const mesh = graph.source<MeshConfigValue>("mesh")
    mesh.set(meshKey, named(name))
    const dns = Dns.make({
      lookup: () =>
        Effect.suspend(() => {
          answers.asked++
          const { now } = answers
          if (now === undefined) return Effect.never
          return now === "fails" ? Effect.fail(failure) : Effect.succeed(now.map(address))
        })
    })
    const layer = GatewayAddresses.layerDns().pipe(
      Layer.provide(
        Layer.mergeAll(layerRegistries, Layer.succeed(MeshConfig, mesh), Layer.succeed(Dns.Dns, dns))
      )
    )
    const { byHostname, pending } = Context.get(yield* Layer.build(layer), GatewayAddresses)
    return { mesh, pending, now: () => byHostname.get(name) }
  })

describe("GatewayAddresses", () => {
  it.effect("keeps the last good addresses while lookups fail, and takes the next good ones", () =>
    Effect.gen(function* () {
      const answers = { now: ["203.0.113.2", "203.0.113.1"] as ReadonlyArray<string> | "fails", asked: 0 }
      const { now } = yield* follow(answers)
      yield* TestClock.adjust(0)
      assert.deepEqual(now(), ["203.0.113.1", "203.0.113.2"])
      answers.now = "fails"
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(answers.asked, 2)
      yield* TestClock.adjust("25 seconds")
      assert.strictEqual(answers.asked, 7, "asks sooner after a failure")
      assert.deepEqual(now(), ["203.0.113.1", "203.0.113.2"])
      answers.now = ["203.0.113.9"]
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(now(), ["203.0.113.9"])
    }).pipe(Effect.scoped, Effect.provide(DiscoveryGraph.layer))
  )

  it.effect("has a hostname pending until it was answered or given up, however silent the resolver is", () =>
    Effect.gen(function* () {
      const answers = { now: undefined, asked: 0 }
      const { now, pending } = yield* follow(answers)
      assert.deepEqual(pending(), [name])
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(pending(), [])
      assert.deepEqual(now(), [])
    }).pipe(Effect.scoped, Effect.provide(DiscoveryGraph.layer))
  )

  it.effect("forgets a hostname that no gateway has any more", () =>
    Effect.gen(function* () {
      const answers = { now: ["203.0.113.1"], asked: 0 }
      const { mesh, now, pending } = yield* follow(answers)
      yield* TestClock.adjust(0)
      mesh.set(meshKey, named())
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(now())
      assert.deepEqual(pending(), [])
      assert.strictEqual(answers.asked, 1)
    }).pipe(Effect.scoped, Effect.provide(DiscoveryGraph.layer))
  )
})
