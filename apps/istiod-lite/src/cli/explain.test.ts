import { assert, describe, it } from "@effect/vitest"
import { connectXdsTestClient } from "@istiod-lite/testkit"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { runCli, shop } from "../testing/run-cli.ts"
import { spawnProgram } from "../testing/spawn-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const onShop = (...args: ReadonlyArray<string>) => runCli("explain", ...args, "--manifests", shop)

interface ExplainedServices {
  readonly services: ReadonlyArray<{
    readonly hostname: string
    readonly endpoints: ReadonlyArray<{ readonly outcome: string }>
  }>
}

describe("explain", () => {
  it.live("endpoint: the cause, the remedy and the way", () =>
    Effect.gen(function* () {
      const { code, out } = yield* onShop("endpoint", "10.8.3.13")
      assert.strictEqual(code, 0)
      assert.match(
        out,
        /^10\.8\.3\.13:8080 of checkout\.shop\.svc\.cluster\.local, for a sidecar .*: not usable$/m
      )
      assert.match(out, /^ {2}why {5}health: not ready \(S-14\)$/m)
      assert.match(out, /^ {2}change {2}make Pod shop\/checkout-5b8c9d7f4-rj5tm ready/m)
      assert.match(out, /^ {2}✓ {2}source {6}EndpointSlice shop\/checkout-x7k2p lists it$/m)
      assert.match(out, /made from .*Pod shop\/checkout-5b8c9d7f4-rj5tm/)
    })
  )

  it.live("endpoint: a machine by its name, as a client of another namespace sees it", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop(
        "endpoint",
        "legacy/erp-vm-large",
        "--for",
        "frontend-6d5f7b9c8-b4x2m.shop"
      )
      assert.match(out, /of erp\.example\.internal, for frontend-6d5f7b9c8-b4x2m\.shop: sent$/m)
      assert.match(out, /ServiceEntry legacy\/erp selects app=erp/)
    })
  )

  it.live("service: JSON names every cause, with rule and remedy", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("service", "catalog:80", "-o", "json")
      const { services }: ExplainedServices = JSON.parse(out)
      assert.deepEqual(
        services.map(({ hostname }) => hostname),
        ["catalog.shop.svc.cluster.local"]
      )
      assert.deepEqual(
        services[0]?.endpoints.map(({ outcome }) => outcome),
        ["sent", "sent", "sent"]
      )
    })
  )

  it.live("conflicts and address: who has what", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const rival = {
        apiVersion: "networking.istio.io/v1",
        kind: "ServiceEntry",
        metadata: { name: "rival", namespace: "legacy" },
        spec: {
          hosts: ["cart.shop.svc.cluster.local"],
          addresses: ["10.96.10.2"],
          ports: [{ number: 80, name: "http", protocol: "HTTP" }],
          resolution: "STATIC"
        }
      }
      const file = join(folder, "rival.json")
      writeFileSync(file, JSON.stringify(rival))
      const conflicts = yield* onShop("conflicts", "--manifests", file)
      assert.match(
        conflicts.out,
        /^host cart\.shop\.svc\.cluster\.local: Service shop\/cart, ServiceEntry legacy\/rival$/m
      )
      assert.match(conflicts.out, /^ {2}wins {4}Service shop\/cart$/m)
      assert.match(
        conflicts.out,
        /^virtual address 10\.96\.10\.2: Service shop\/catalog, ServiceEntry legacy\/rival$/m
      )
      const address = yield* onShop("address", "10.96.10.2", "--manifests", file)
      assert.match(
        address.out,
        /^ {2}virtual IP +Service shop\/catalog +catalog\.shop\.svc\.cluster\.local, for clients/m
      )
      assert.match(address.out, /clients that go by address cannot tell them apart \(S-48\)/)
      const none = yield* onShop("conflicts")
      assert.strictEqual(none.out, "No conflicts.")
    })
  )

  it.live.each([
    { args: ["endpoint", "10.99.0.1"], code: 1, says: /No EndpointSlice, pod, .* knows 10\.99\.0\.1/ },
    { args: ["service", "basket"], code: 1, says: /No service is called basket\./ },
    { args: ["address", "10.99.0.1"], code: 1, says: /Nothing has address 10\.99\.0\.1/ },
    { args: ["address", "cart"], code: 2, says: /cart is no IP address/ },
    { args: ["endpoint", "10.8.3.13", "--for", "nobody.shop"], code: 1, says: /is called nobody\.shop/ }
  ])("$args ends with $code and says what is wrong", ({ args, code, says }) =>
    Effect.gen(function* () {
      const run = yield* onShop(...args)
      assert.strictEqual(run.code, code)
      assert.match(run.err, says)
    })
  )

  it.live(
    "on a running server: what a connected proxy was sent and has acknowledged",
    () =>
      Effect.gen(function* () {
        const main = join(import.meta.dirname, "../main.ts")
        const program = yield* spawnProgram(main, [
          "serve",
          "--manifests",
          shop,
          "--xds-port",
          "0",
          "--admin-port",
          "0"
        ])
        const [, xds] = yield* program.until(/xDS listens on 127\.0\.0\.1:(\d+)/)
        const [, server = ""] = yield* program.until(/Admin listens on (http:\S+)/)
        const client = yield* connectXdsTestClient({
          port: Number(xds),
          node: {
            id: "sidecar~10.8.1.10~frontend-6d5f7b9c8-b4x2m.shop~shop.svc.cluster.local",
            metadata: { CLUSTER_ID: "Kubernetes" }
          }
        })
        yield* client.subscribe(endpointTypeUrl, ["outbound|80||cart.shop.svc.cluster.local"])
        yield* client.next(endpointTypeUrl)
        const ask = runCli(
          "explain",
          "endpoint",
          "10.8.2.11:8080",
          "--for",
          "frontend-6d5f7b9c8-b4x2m.shop",
          "--server",
          server
        )
        const { out } = yield* ask
        assert.match(out, /✓ {2}stream +outbound\|80\|\|cart\.shop\.svc\.cluster\.local: version \S+ sent$/m)
        assert.match(out, /stream +the last response is /)
        const response = yield* Effect.promise(() => fetch(`${server}/api/v1/explain`))
        assert.strictEqual(response.status, 400)
        const service = yield* runCli("explain", "service", "cart.shop:80", "--server", server)
        assert.match(service.out, /3 endpoints, 3 sent/)
        const conflicts = yield* runCli("explain", "conflicts", "--server", server)
        assert.strictEqual(conflicts.out, "No conflicts.")
        const address = yield* runCli("explain", "address", "10.96.10.3", "--server", server)
        assert.match(address.out, /virtual IP +Service shop\/cart/)
      }),
    30_000
  )
})
