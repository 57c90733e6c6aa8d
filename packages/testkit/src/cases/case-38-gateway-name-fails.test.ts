import { assert, describe, it } from "@effect/vitest"
import { layerServiceDiscoveryDns } from "@istiod-lite/registry-aggregate"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Deferred, Effect, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { bakeryWith, home, settle } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, pod, sidecar } from "./support/manifests.ts"
import { weighted } from "./support/received.ts"
import { watchRequests } from "./support/requests.ts"

const gateway = "gate.west.example"
const failure = new Dns.DnsError({ reason: "ServerFailure", method: "lookup", hostname: gateway })
const found = (address: string) => Effect.succeed([NetAddress.ipFromStringUnsafe(address)])

/** Two networks, the other one behind a gateway that has a name; `answer` is what the resolver says now. */
const twoNetworks = (answer: { now: Effect.Effect<ReadonlyArray<NetAddress.IpAddress>, Dns.DnsError> }) =>
  Effect.gen(function* () {
    const { dealtWith, observer } = yield* watchRequests
    const dns = Dns.make({ lookup: () => Effect.suspend(() => answer.now) })
    const networks = {
      west: {
        endpoints: [{ fromRegistry: "west" }],
        gateways: [{ address: gateway, port: 15443 }]
      }
    }
    const plane = yield* bakeryWith([kubeService("oven"), endpointSlice("oven", "198.51.100.21")], {
      mesh: { networks },
      server: { observers: [observer] },
      discovery: layerServiceDiscoveryDns.pipe(Layer.provide(Layer.succeed(Dns.Dns, dns)))
    })
    plane.source.transaction(() => {
      for (const index of [1, 2]) {
        plane.source.apply("west", pod(`oven-w${index}`, "oven", `203.0.113.12${index}`))
      }
      plane.source.apply("west", kubeService("oven"))
      plane.source.apply(
        "west",
        endpointSlice(
          "oven",
          { address: "203.0.113.121", ready: true, pod: "oven-w1" },
          { address: "203.0.113.122", ready: true, pod: "oven-w2" }
        )
      )
    })
    const client = yield* plane.connect(sidecar("web", { NETWORK: "east", CLUSTER_ID: home }))
    yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
    const sees = () => weighted(client.resources(endpointTypeUrl).get(cluster("oven")))
    yield* dealtWith(client.askAgain(endpointTypeUrl))
    return { plane, client, sees }
  })

describe("case 38: the name of a network gateway stops resolving", () => {
  it.effect("keeps the last good address without a push, and follows the next good answer", () =>
    Effect.gen(function* () {
      const answer = {
        now: found("203.0.113.41") as Effect.Effect<ReadonlyArray<NetAddress.IpAddress>, Dns.DnsError>
      }
      const { client, plane, sees } = yield* twoNetworks(answer)
      yield* client.next(endpointTypeUrl)
      assert.deepEqual(sees(), ["198.51.100.21:8080*1", "203.0.113.41:15443*2"])
      answer.now = Effect.fail(failure)
      yield* TestClock.adjust("10 minutes")
      yield* settle(plane, client)
      assert.strictEqual(client.waiting(endpointTypeUrl), 0)
      assert.deepEqual(sees(), ["198.51.100.21:8080*1", "203.0.113.41:15443*2"])
      answer.now = found("203.0.113.42")
      yield* TestClock.adjust("30 seconds")
      yield* client.next(endpointTypeUrl)
      assert.deepEqual(sees(), ["198.51.100.21:8080*1", "203.0.113.42:15443*2"])
    })
  )

  it.effect("sends nothing before the first answer, so never the far addresses themselves", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<ReadonlyArray<NetAddress.IpAddress>>()
      const { client, plane, sees } = yield* twoNetworks({ now: Deferred.await(answered) })
      assert.isUndefined(plane.connections()[0]?.subscriptions[0]?.sent)
      yield* Deferred.complete(answered, found("203.0.113.41"))
      yield* client.next(endpointTypeUrl)
      assert.deepEqual(sees(), ["198.51.100.21:8080*1", "203.0.113.41:15443*2"])
    })
  )
})
