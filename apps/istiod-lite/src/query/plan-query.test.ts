import { assert, describe, it } from "@effect/vitest"
import { DiscoveryGraph, MeshConfig, ObjectSource, ServiceDiscovery } from "@istiod-lite/model"
import { endpointsJson, servicesJson } from "@istiod-lite/registry-aggregate"
import { Effect } from "effect"
import { readInputs } from "../compose/inputs.ts"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import type { PlanRequest } from "../plan/plan-request.ts"
import { shopSource } from "../testing/shop-source.ts"
import { planQuery } from "./plan-query.ts"

const running = layerDiscovery(controlPlane(), shopSource)
const cart = "cart-84f6d7c5b-2m6xq.shop"
const seenByCart = [{ name: cart }]

const manifest = (kind: string, namespace: string, name: string, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: kind === "Service" ? "v1" : "networking.istio.io/v1",
    kind,
    metadata: { name, namespace },
    spec
  })

const entry = (name: string, spec: object): string =>
  manifest("ServiceEntry", "legacy", name, {
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    ...spec
  })

const plan = (request: PlanRequest) => Effect.provide(planQuery(request, []), running)
const refusal = (request: PlanRequest) => Effect.map(Effect.flip(plan(request)), ({ message }) => message)
const textsOf = (warnings: ReadonlyArray<{ readonly kind: string; readonly text: string }>, kind: string) =>
  warnings.filter((warning) => warning.kind === kind).map(({ text }) => text)

const everything = Effect.gen(function* () {
  const { endpoints, services } = yield* ServiceDiscovery
  const graph = yield* DiscoveryGraph
  const inputs = { source: yield* ObjectSource, mesh: yield* MeshConfig }
  return JSON.stringify([
    readInputs({ ...inputs, statuses: undefined, gatewayAddresses: undefined }),
    servicesJson(services.values()),
    endpointsJson(endpoints.values()),
    graph.sizes(),
    graph.stats
  ])
})

describe("planQuery", () => {
  it.effect("changes nothing, computes nothing in the graph, and leaves nothing in it", () =>
    Effect.gen(function* () {
      const before = yield* everything
      for (let i = 0; i < 3; i++) {
        const change = { manifests: manifest("ServiceEntry", "legacy", "erp"), deletes: true }
        const { lost } = yield* planQuery(change, [])
        assert.strictEqual(lost.services, 1)
      }
      assert.strictEqual(yield* everything, before)
    }).pipe(Effect.provide(running))
  )

  it.effect("tells what a service and a proxy lose with a machine", () =>
    Effect.gen(function* () {
      const manifests = manifest("WorkloadEntry", "legacy", "erp-vm-large")
      const answer = yield* plan({ manifests, deletes: true, proxies: seenByCart })
      assert.deepEqual(answer.objects, [{ object: "WorkloadEntry legacy/erp-vm-large", effect: "deleted" }])
      const removed = ["10.20.0.21:8000 (erp-vm-large)"]
      const [erp] = answer.services
      assert.deepEqual(erp, {
        service: "legacy/erp.example.internal",
        became: "changed",
        fields: [],
        usable: [2, 1],
        endpoints: { added: [], removed, changed: [] }
      })
      assert.deepEqual(answer.proxies[0]?.clusters[0]?.sent, [2, 1])
      assert.deepEqual(answer.lost, { services: 0, endpoints: 1, views: 1 })
      assert.match(textsOf(answer.warnings, "EndpointsLost")[0] ?? "", /erp-vm-large.*1 of 2 left/)
    })
  )

  it.effect("tells what a proxy loses by a policy, though no endpoint goes", () =>
    Effect.gen(function* () {
      const egress = [{ hosts: ["shop/*"] }]
      const answer = yield* plan({
        manifests: manifest("Sidecar", "shop", "default", { egress }),
        proxies: seenByCart
      })
      assert.deepEqual(answer.services, [])
      const gone = answer.proxies[0]?.clusters.filter(({ became }) => became === "removed") ?? []
      assert.include(
        gone.map(({ cluster }) => cluster),
        "outbound|80||erp.example.internal"
      )
      assert.isAbove(answer.lost.views, 0)
    })
  )

  it.effect("finds nothing lost in what only adds, and keeps what is the cluster's to say", () =>
    Effect.gen(function* () {
      const ports = [
        { name: "http", port: 80, targetPort: 8080 },
        { name: "grpc", port: 9090 }
      ]
      const spec = { selector: { app: "catalog" }, ports: [...ports, { name: "admin", port: 81 }] }
      const answer = yield* plan({
        manifests: manifest("Service", "shop", "catalog", spec),
        proxies: seenByCart
      })
      assert.deepEqual(answer.lost, { services: 0, endpoints: 0, views: 0 })
      assert.deepEqual(answer.services[0]?.fields.toSorted(), ["kube", "ports"])
      assert.include(
        answer.proxies.flatMap(({ clusters }) =>
          clusters.map(({ became, cluster }) => `${became} ${cluster}`)
        ),
        "added outbound|81||catalog.shop.svc.cluster.local"
      )
    })
  )

  it.effect(
    "warns of hosts, addresses, selectors and subsets that go wrong, and not of what was wrong before",
    () =>
      Effect.gen(function* () {
        const manifests = [
          entry("twin", {
            hosts: ["cart.shop.svc.cluster.local"],
            workloadSelector: { labels: { app: "kart" } }
          }),
          entry("close", { hosts: ["close.example"], addresses: ["10.96.10.2"] }),
          entry("wide", { hosts: ["wide.example"], addresses: ["10.96.10.0/24"], resolution: "NONE" }),
          manifest("WorkloadEntry", "legacy", "double", { address: "10.20.0.21" }),
          manifest("DestinationRule", "shop", "cart", {
            host: "cart",
            subsets: [{ name: "canary", labels: { track: "canary" } }]
          })
        ].join("\n---\n")
        const { warnings } = yield* plan({ manifests })
        assert.deepEqual(textsOf(warnings, "HostConflict"), [
          "cart.shop.svc.cluster.local is declared by Service shop/cart, which counts, and by ServiceEntry legacy/twin"
        ])
        assert.match(textsOf(warnings, "EmptySelector").join(), /ServiceEntry legacy\/twin selects app=kart/)
        assert.match(textsOf(warnings, "SharedAddress").join(), /double.*erp-vm-large|erp-vm-large.*double/)
        assert.match(textsOf(warnings, "EmptySubset").join(), /no endpoint of cart is in subset canary/)
        const overlaps = textsOf(warnings, "OverlappingAddresses").join("\n")
        assert.match(overlaps, /close\.example and shop\/catalog.*: 10\.96\.10\.2$/m)
        assert.match(overlaps, /wide\.example.*10\.96\.10\.0\/24|10\.96\.10\.0\/24.*wide\.example/)
        const again = yield* plan({ manifests: entry("new", { hosts: ["new.example"] }) })
        assert.deepEqual(again.warnings, [])
      })
  )

  it.effect("warns of automatic addresses that move", () =>
    Effect.gen(function* () {
      const withAddress = manifest("ServiceEntry", "legacy", "erp", {
        hosts: ["erp.example.internal"],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        addresses: ["10.99.0.1"],
        ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8000 }],
        workloadSelector: { labels: { app: "erp" } }
      })
      const { warnings } = yield* plan({ manifests: withAddress })
      assert.match(
        textsOf(warnings, "AddressMoved").join(),
        /erp\.example\.internal.* 240\.240\.230\.16.* to 10\.99\.0\.1/
      )
    })
  )

  it.effect("says what is not there to delete, what stays, and what does not count", () =>
    Effect.gen(function* () {
      const missing = yield* plan({ manifests: manifest("Service", "shop", "nobody"), deletes: true })
      assert.strictEqual(missing.objects[0]?.effect, "missing")
      const elsewhere = yield* plan({ manifests: manifest("ServiceEntry", "shop", "x"), deletes: true })
      assert.deepEqual(elsewhere.lost, { services: 0, endpoints: 0, views: 0 })
    })
  )

  it.effect("refuses faulty manifests, unknown clusters and unknown proxies", () =>
    Effect.gen(function* () {
      assert.match(yield* refusal({ manifests: "kind: [" }), /The change has faults:\nline 1: /)
      assert.match(yield* refusal({ manifests: "" }), /holds no object/)
      const manifests = manifest("Service", "shop", "cart")
      assert.match(yield* refusal({ manifests, deletes: true, cluster: "moon" }), /no cluster moon/)
      const proxies = [{ name: "nobody.shop" }]
      assert.match(yield* refusal({ manifests, deletes: true, proxies }), /nobody\.shop/)
    })
  )
})
