import { assert, describe, it } from "@effect/vitest"
import { clusterTypeUrl, endpointTypeUrl } from "@istiod-lite/xds-proto"
import { grpcJsTransport, silentObserver } from "@istiod-lite/xds-server"
import { Effect, Latch } from "effect"
import type { ServedControlPlane } from "../served-control-plane.ts"
import { bakeryWith } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { megabytesInUse } from "./support/memory.ts"
import { makeStallingRelay } from "./support/stalling-relay.ts"
import { standInClusters } from "./support/stand-in-types.ts"

/** Some clients, each on a connection of its own, that have been served; they are gone when the scope closes. */
const serveClients = ({ connect }: ServedControlPlane, count: number, port: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, i) => i),
    (i) =>
      Effect.gen(function* () {
        const client = yield* connect(sidecar(`web-${i}`), { ownConnection: true, port })
        yield* client.subscribe(clusterTypeUrl, [])
        yield* client.next(clusterTypeUrl)
        yield* client.subscribe(endpointTypeUrl, [cluster("oven"), cluster("till")])
        yield* client.next(endpointTypeUrl)
      }),
    { concurrency: 25, discard: true }
  )

describe("case 72: proxies that are gone", () => {
  it.live(
    "are forgotten with all that was kept for them, whether they said goodbye or vanished",
    () =>
      Effect.gen(function* () {
        const noneLeft = Latch.makeUnsafe(true)
        let open = 0
        const observer = {
          ...silentObserver,
          opened: () => {
            open++
            Latch.closeUnsafe(noneLeft)
          },
          closed: () => {
            if (--open === 0) Latch.openUnsafe(noneLeft)
          }
        }
        const plane = yield* bakeryWith(
          [
            kubeService("oven"),
            endpointSlice("oven", "198.51.100.21"),
            kubeService("till"),
            endpointSlice("till", "198.51.100.31")
          ],
          {
            generators: [standInClusters],
            server: {
              observers: [observer],
              transport: grpcJsTransport({ keepaliveTime: "300 millis", keepaliveTimeout: "2 seconds" })
            }
          }
        )
        const politely = Effect.scoped(serveClients(plane, 40, plane.port))
        // What vanishes answers no ping, so the server ends its streams although nothing was closed.
        const silently = Effect.scoped(
          Effect.gen(function* () {
            const relay = yield* makeStallingRelay(plane.port)
            yield* serveClients(plane, 40, relay.port)
            yield* relay.stall
            yield* Latch.await(noneLeft)
          })
        )
        const round = politely.pipe(Effect.andThen(silently), Effect.andThen(Latch.await(noneLeft)))
        yield* round
        const before = yield* megabytesInUse
        for (let turn = 0; turn < 2; turn++) yield* round
        assert.deepEqual(plane.connections(), [])
        assert.isBelow((yield* megabytesInUse) - before, 3)
      }),
    60_000
  )
})
