import { assert, describe, it } from "@effect/vitest"
import { connectXdsTestClient } from "@istiod-lite/testkit"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { connect } from "node:http2"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { runCli, shop } from "../testing/run-cli.ts"
import { type Program, spawnProgram } from "../testing/spawn-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const main = join(import.meta.dirname, "../main.ts")
const anyPorts = ["--xds-port", "0", "--admin-port", "0"]

const portsOf = (program: Program) =>
  Effect.gen(function* () {
    const [, xds] = yield* program.until(/xDS listens on 127\.0\.0\.1:(\d+)/)
    const [, admin = ""] = yield* program.until(/Admin listens on (http:\S+)/)
    return { xds: Number(xds), admin }
  })

/** Replaces text in a file, by a rename, as editors do. */
const edit = (file: string, from: string, to: string): void => {
  const draft = `${file}.draft`
  writeFileSync(draft, readFileSync(file, "utf8").replace(from, to))
  renameSync(draft, file)
}

/** The gRPC status of a health check whose request is compressed: what the two transports answer differently. */
const statusOfCompressed = (port: number): Effect.Effect<unknown> =>
  Effect.acquireUseRelease(
    Effect.sync(() => connect(`http://127.0.0.1:${port}`)),
    (session) =>
      Effect.callback((resume) => {
        const stream = session.request({
          ":method": "POST",
          ":path": "/grpc.health.v1.Health/Check",
          "content-type": "application/grpc",
          "grpc-encoding": "gzip"
        })
        const take = (headers: Readonly<Record<string, unknown>>): void => {
          if ("grpc-status" in headers) resume(Effect.succeed(headers["grpc-status"]))
        }
        stream.on("response", take)
        stream.on("trailers", take)
        stream.on("error", (cause) => resume(Effect.die(cause)))
        const empty = gzipSync("")
        const prefix = Buffer.from([1, 0, 0, 0, empty.length])
        stream.end(Buffer.concat([prefix, empty]))
        stream.resume()
      }),
    (session) => Effect.sync(() => session.destroy())
  )

const get = (url: string) => Effect.promise(async () => (await fetch(url)).text())

describe("serve", () => {
  it.live(
    "tells what it discovered, serves it, and tells what changes",
    () =>
      Effect.gen(function* () {
        const folder = join(yield* temporaryFolder, "shop")
        cpSync(shop, folder, { recursive: true })
        const program = yield* spawnProgram(main, ["serve", "--manifests", folder, ...anyPorts])
        const { admin, xds } = yield* portsOf(program)
        yield* program.until(/^cart\.shop\.svc\.cluster\.local +80 +2 healthy, 1 draining +10\.96\.10\.3$/m)
        yield* program.until(/^inventory\.legacy\.svc\.cluster\.local +80 +3 healthy +1 +10\.96\.10\.7$/m)
        yield* program.until(/^13 services, 20 pods, 3 VMs, 5 automatic addresses, 1 cluster$/m)
        assert.strictEqual(yield* get(`${admin}/ready`), "ready\n")

        const cart = "outbound|80||cart.shop.svc.cluster.local"
        const client = yield* connectXdsTestClient({ port: xds, node: "edge-1", delta: true })
        yield* client.subscribe(endpointTypeUrl, [cart])
        yield* client.waitFor(endpointTypeUrl, (resources) => resources.has(cart))
        const proxies = yield* runCli("proxies", "--server", admin)
        assert.match(
          proxies.out,
          /^edge-1 +plain +127\.0\.0\.1:\d+ +delta +ClusterLoadAssignment +1 +in sync$/m
        )
        assert.match(yield* get(`${admin}/metrics`), /^pilot_xds_pushes.*\{.*type="eds".*\} 1$/m)

        edit(join(folder, "cart.yaml"), "{ ready: true, serving: true", "{ ready: false, serving: false")
        yield* program.until(/shop\/cart: 2 → 1 endpoint \(cart-84f6d7c5b-2m6xq not ready\)/)
        // On a busy machine a push may be told with the next change.
        edit(join(folder, "cart.yaml"), "{ ready: false, serving: false", "{ ready: true, serving: true")
        yield* program.until(/shop\/cart: .* endpoints? \(.*\), pushed to 1 proxy in .*ms/)
        const sent = yield* client.next(endpointTypeUrl)
        assert.match(JSON.stringify(sent), /cart/)

        edit(join(folder, "cart.yaml"), "kind: Service", "kind: [Service")
        yield* program.until(/WARN .*cart\.yaml:\d+: .*Remedy/)
        const kept = yield* runCli("endpoints", "cart", "--server", admin, "-o", "json")
        assert.strictEqual(kept.out.match(/"port": 8080/g)?.length, 3)

        assert.strictEqual(yield* program.terminate, 0)
        assert.notMatch(program.output(), /\n {4}at /)
        const { details } = yield* client.ended
        assert.match(details, /drain/)
      }),
    60_000
  )

  it.live(
    "serves the good objects of a faulty standard input, and names a port that is in use",
    () =>
      Effect.gen(function* () {
        const good = readFileSync(join(shop, "erp.yaml"), "utf8")
        const input = `${good}---\nkind: Service\napiVersion: v1\nmetadata: { name: bad }\nspec: { ports: [{ port: 0 }] }\n`
        const program = yield* spawnProgram(main, ["serve", "--manifests", "-", ...anyPorts], { input })
        const { xds } = yield* portsOf(program)
        yield* program.until(/WARN .*Cannot read Service default\/bad: spec\.ports\[0\]\.port/)
        yield* program.until(/^1 service, 0 pods, 2 VMs, 1 automatic address, 1 cluster$/m)
        const second = yield* spawnProgram(main, ["serve", "--manifests", shop, "--xds-port", String(xds)])
        assert.strictEqual(yield* second.ended, 1)
        assert.match(
          second.output(),
          /^istiod-lite: Cannot listen for xDS on 127\.0\.0\.1:\d+: another program uses the port\. .*--xds-port/m
        )
        assert.notMatch(second.output(), /\n {4}at /)
        assert.strictEqual(yield* program.terminate, 0)
      }),
    60_000
  )

  it.live.each([
    { flags: [], status: "12" },
    { flags: ["--xds-transport", "http2"], status: "12" },
    { flags: ["--xds-transport", "grpc-js"], status: "0" }
  ])(
    "speaks gRPC over the transport that is chosen: $flags",
    ({ flags, status }) =>
      Effect.gen(function* () {
        const program = yield* spawnProgram(main, ["serve", "--manifests", shop, ...anyPorts, ...flags])
        const { xds } = yield* portsOf(program)
        assert.strictEqual(yield* statusOfCompressed(xds), status)
        assert.strictEqual(yield* program.terminate, 0)
      }),
    60_000
  )
})
