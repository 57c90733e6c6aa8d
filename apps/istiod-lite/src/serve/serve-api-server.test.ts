import { assert, describe, it } from "@effect/vitest"
import { connectXdsTestClient } from "@istiod-lite/testkit"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { join } from "node:path"
import { serveApi } from "../testing/api-server.ts"
import { service } from "../testing/manifests.ts"
import { runCli, shop } from "../testing/run-cli.ts"
import { spawnProgram } from "../testing/spawn-program.ts"

const main = join(import.meta.dirname, "../main.ts")
const anyPorts = ["--xds-port", "0", "--admin-port", "0"]

const get = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url)
    return `${response.status} ${await response.text()}`
  })

const web = "sidecar~198.51.100.190~web-1.shop~shop.svc.cluster.local"

describe("serve --kubeconfig", () => {
  it.live(
    "says what it waits for, serves what it has read, and ends although the API server is away",
    () =>
      Effect.gen(function* () {
        const { api, kubeconfig, server } = yield* serveApi
        server.fault = ({ path }) => (path.endsWith("/pods") ? { fault: "silence" } : undefined)
        const program = yield* spawnProgram(main, ["serve", "--kubeconfig", kubeconfig, ...anyPorts], {
          env: { POD_NAME: "replica-a" }
        })
        const [, xds] = yield* program.until(/xDS listens on 127\.0\.0\.1:(\d+)/)
        const [, admin = ""] = yield* program.until(/Admin listens on (http:\S+)/)
        yield* program.until(/Not ready yet: waiting for cluster Kubernetes \(reading Pod\)$/m)
        assert.include(
          yield* get(`${admin}/ready`),
          "503 not ready: waiting for cluster Kubernetes (reading Pod)"
        )
        // Cuts what is under way: it is asked for anew.
        yield* Effect.promise(() => server.stop())
        server.fault = () => undefined
        yield* Effect.promise(() => server.start())
        yield* program.until(/^1 service, 1 pod, 0 VMs, 0 automatic addresses, 1 cluster$/m)
        assert.strictEqual(yield* get(`${admin}/ready`), "200 ready\n")

        const client = yield* connectXdsTestClient({ port: Number(xds), node: web, delta: true })
        const cart = "outbound|80||cart.shop.svc.cluster.local"
        yield* client.subscribe(endpointTypeUrl, [cart])
        yield* client.waitFor(endpointTypeUrl, (resources) => resources.has(cart))
        api.put(service("till"))
        yield* program.until(/shop\/till: new service/)

        yield* Effect.promise(() => server.stop())
        assert.strictEqual(yield* program.terminate, 0)
        assert.match((yield* client.ended).details, /drain/)
        yield* Effect.promise(() => server.start())
        assert.notMatch(program.output(), /\n {4}at /)
      }),
    60_000
  )

  it.live(
    "says of machines that files cannot register them",
    () =>
      Effect.gen(function* () {
        const program = yield* spawnProgram(main, ["serve", "--manifests", shop, ...anyPorts])
        const [, xds] = yield* program.until(/xDS listens on 127\.0\.0\.1:(\d+)/)
        const client = yield* connectXdsTestClient({
          port: Number(xds),
          node: { id: web, metadata: { AUTO_REGISTER_GROUP: "tills" } }
        })
        yield* client.subscribe(endpointTypeUrl, ["outbound|80||cart.shop.svc.cluster.local"])
        yield* program.until(
          /WARN .* asks to be registered in WorkloadGroup shop\/tills, which needs an API server/
        )
        const machines = yield* runCli("vm", "list", "--manifests", shop)
        assert.match(machines.out, /^legacy\/\S+ +\S+ +hand +never connected/m)
      }),
    60_000
  )
})
