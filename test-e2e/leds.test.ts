import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { startServing } from "./support/control-plane.ts"
import { type Envoy, type EnvoyEndpoint, startEnvoy } from "./support/envoy.ts"
import { eventually } from "./support/eventually.ts"
import {
  largeHost,
  removeMachine,
  sliceAddresses,
  writeLargeService,
  writeMachine,
  writeSlice
} from "./support/large-mesh.ts"
import type { SliceEndpoint } from "./support/manifests.ts"
import { clusterOf } from "./support/mesh.ts"
import { freePort } from "./support/ports.ts"

const slices = 100
const cluster = clusterOf(largeHost)

const ready = (addresses: ReadonlyArray<string>): ReadonlyArray<SliceEndpoint> =>
  addresses.map((address) => ({ address, state: "ready" }))

// One story: each test goes on where the one before stopped.
describe("an Envoy that asks for single endpoints, of a service of 10,000", () => {
  const resources = new AsyncDisposableStack()
  let manifests: string
  let envoy: Envoy
  let kill: () => Promise<void>
  let serve: () => Promise<void>
  /** the health of every endpoint, as the manifests say */
  const expected = new Map<string, string>()
  const first = sliceAddresses(0)
  let received = 0

  const known = async (): Promise<ReadonlyArray<EnvoyEndpoint>> => envoy.endpoints(cluster)
  const isExpected = (endpoints: ReadonlyArray<EnvoyEndpoint>): boolean =>
    endpoints.length === expected.size &&
    endpoints.every(({ address, health }) => expected.get(address) === health)
  const untilExpected = (): Promise<unknown> =>
    // Of thousands of endpoints a message shows those that are wrong.
    eventually(
      "Envoy has what the manifests say",
      async () => {
        const endpoints = await known()
        const wrong = endpoints.filter(({ address, health }) => expected.get(address) !== health)
        return { count: endpoints.length, wrong: wrong.slice(0, 5), good: isExpected(endpoints) }
      },
      ({ good }) => good,
      20_000
    )
  /** Bytes that Envoy got of its control plane since the last call, HTTP/2 frames included. */
  const bytesReceived = async (): Promise<number> => {
    const before = received
    received = await envoy.stat("cluster.xds.upstream_cx_rx_bytes_total")
    return received - before
  }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "istiod-lite-leds-"))
    resources.defer(() => rmSync(folder, { recursive: true }))
    manifests = join(folder, "manifests")
    mkdirSync(manifests)
    writeLargeService(manifests, slices)
    for (let i = 0; i < slices; i++) for (const address of sliceAddresses(i)) expected.set(address, "HEALTHY")
    const [xdsPort, controlAdmin] = [await freePort(), await freePort()]
    const [adminPort, listenPort] = [await freePort(), await freePort()]
    const owned = resources.use(new AsyncDisposableStack())
    serve = async () => {
      const args = ["--manifests", manifests, "--leds-threshold", "1000"]
      const plane = await startServing(args, xdsPort, controlAdmin)
      kill = plane.kill
      owned.defer(async () => void (await plane.terminate()))
    }
    await serve()
    const options = {
      nodeId: "sidecar~127.0.0.1~client.shop~shop.svc.cluster.local",
      xds: "DELTA_GRPC",
      metadata: { ISTIOD_LITE_LEDS: "true" },
      routes: { [largeHost]: cluster },
      xdsPort,
      adminPort,
      listenPort
    } as const
    envoy = resources.use(await startEnvoy(inject("envoy"), folder, options))
  })
  afterAll(() => resources.disposeAsync())

  it("has them all", async () => {
    await untilExpected()
    const bytes = await bytesReceived()
    console.info(`${bytes} bytes`)
    assert.isAbove(bytes, 1_000_000)
  })

  const changes: ReadonlyArray<readonly [what: string, change: () => void]> = [
    [
      "one becomes unready",
      () => {
        writeSlice(manifests, 0, [{ address: first[0]!, state: "unready" }, ...ready(first.slice(1))])
        expected.set(first[0]!, "UNHEALTHY")
      }
    ],
    [
      "one is replaced",
      () => {
        writeSlice(manifests, 0, ready(["10.99.0.1", ...first.slice(1)]))
        expected.delete(first[0]!)
        expected.set("10.99.0.1", "HEALTHY")
      }
    ],
    [
      "one goes",
      () => {
        writeSlice(manifests, 0, ready(first.slice(1)))
        expected.delete("10.99.0.1")
      }
    ],
    [
      "one comes back",
      () => {
        writeSlice(manifests, 0)
        expected.set(first[0]!, "HEALTHY")
      }
    ],
    [
      "one comes in a locality of its own",
      () => {
        writeMachine(manifests, "machine", "10.98.0.1", "eu/eu-1/rack 1")
        expected.set("10.98.0.1", "HEALTHY")
      }
    ],
    [
      "that locality goes",
      () => {
        removeMachine(manifests, "machine")
        expected.delete("10.98.0.1")
      }
    ]
  ]

  it.each(changes)("gets less than 1 kB when %s", async (_, change) => {
    await bytesReceived()
    change()
    await untilExpected()
    const bytes = await bytesReceived()
    console.info(`${bytes} bytes`)
    assert.isBelow(bytes, 1000)
    assert.isAbove(bytes, 50)
  })

  it("loses what went while it was alone, and gets what came", async () => {
    await kill()
    const [gone, unready, ...others] = sliceAddresses(1)
    writeSlice(manifests, 1, [{ address: unready!, state: "unready" }, ...ready(others)])
    writeMachine(manifests, "machine", "10.98.0.2", "eu/eu-2")
    expected.delete(gone!)
    expected.set(unready!, "UNHEALTHY")
    expected.set("10.98.0.2", "HEALTHY")
    await serve()
    await untilExpected()
  })

  it("gets single endpoints again after that", async () => {
    await bytesReceived()
    writeSlice(manifests, 2, [
      { address: sliceAddresses(2)[0]!, state: "unready" },
      ...ready(sliceAddresses(2).slice(1))
    ])
    expected.set(sliceAddresses(2)[0]!, "UNHEALTHY")
    await untilExpected()
    assert.isBelow(await bytesReceived(), 1000)
  })

  it("gets full assignments when the service has become small, and single endpoints when it is large again", async () => {
    for (let i = 5; i < slices; i++) {
      writeSlice(manifests, i, [])
      for (const address of sliceAddresses(i)) expected.delete(address)
    }
    await untilExpected()
    for (let i = 5; i < 20; i++) {
      writeSlice(manifests, i)
      for (const address of sliceAddresses(i)) expected.set(address, "HEALTHY")
    }
    await untilExpected()
    await bytesReceived()
    writeSlice(manifests, 19, ready(sliceAddresses(19).slice(1)))
    expected.delete(sliceAddresses(19)[0]!)
    await untilExpected()
    assert.isBelow(await bytesReceived(), 1000)
  })
})
