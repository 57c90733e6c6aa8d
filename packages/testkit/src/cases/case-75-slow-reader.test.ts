import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { megabytesInUse } from "./support/memory.ts"
import { routable } from "./support/received.ts"
import { makeStallingRelay } from "./support/stalling-relay.ts"

const services = Array.from({ length: 100 }, (_, i) => `oven-${i}`)
const readers = 10
const rounds = 40
const changesPerRound = 10

/** Twenty endpoints, the first of which tells the round. */
const sliceOf = (service: string, round: number) =>
  endpointSlice(service, `203.0.113.${round}`, ...Array.from({ length: 19 }, (_, i) => `198.51.100.${i + 1}`))

describe("case 75: a proxy that does not read", () => {
  it.live(
    "costs a bounded amount of memory, delays nobody, and gets the newest state in few responses",
    () =>
      Effect.gen(function* () {
        const { connect, port, source } = yield* bakeryWith(
          services.flatMap((service) => [kubeService(service), sliceOf(service, 1)])
        )
        const relay = yield* makeStallingRelay(port)
        const names = services.map(cluster)
        const join = (name: string, through: number) =>
          Effect.gen(function* () {
            const client = yield* connect(sidecar(name), { ownConnection: true, port: through })
            yield* client.subscribe(endpointTypeUrl, names)
            yield* client.next(endpointTypeUrl)
            return client
          })
        const slow = yield* join("slow", relay.port)
        const others = yield* Effect.forEach(Array.from({ length: readers }), (_, i) =>
          join(`web-${i}`, port)
        )
        yield* relay.stall
        const before = yield* megabytesInUse
        let last = ""
        for (let round = 2; round < rounds + 2; round++) {
          // Ten changes, not one batch: each is a push request of its own.
          for (let change = 0; change < changesPerRound; change++) {
            last = services[(round * 7 + change) % services.length]!
            source.apply(home, sliceOf(last, round))
          }
          for (const client of others) {
            yield* client.waitFor(endpointTypeUrl, (resources) =>
              routable(resources.get(cluster(last))).includes(`203.0.113.${round}:8080`)
            )
          }
        }
        assert.isBelow((yield* megabytesInUse) - before, 20)

        const taken = slow.waiting(endpointTypeUrl)
        yield* relay.resume
        let responses = 0
        while (
          !routable(slow.resources(endpointTypeUrl).get(cluster(last))).includes(
            `203.0.113.${rounds + 1}:8080`
          )
        ) {
          yield* slow.next(endpointTypeUrl)
          responses++
        }
        assert.strictEqual(taken, 0)
        assert.isAtMost(responses, 20)
        for (const service of services) {
          const seen = (client: typeof slow) =>
            routable(client.resources(endpointTypeUrl).get(cluster(service)))
          assert.deepEqual(seen(slow), seen(others[0]!))
        }
      }),
    60_000
  )
})
