import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { explainedPlane } from "../testing/explained-plane.ts"
import { pod, service, serviceEntry, slice, workloadEntry } from "../testing/manifests.ts"
import { nearMisses } from "./near-misses.ts"

const ordersHost = "orders.shop.svc.cluster.local"
const serviceName = (name: string) => ({ labels: { "kubernetes.io/service-name": name } })
const orders = [service("orders"), pod("orders-1", "10.8.0.1"), slice("orders", "10.8.0.1")]
const stranded = (name: string, ip: string, labels: Readonly<Record<string, string>>) =>
  pod(name, ip, { labels })

const missesOf = (objects: ReadonlyArray<unknown>, hostname = ordersHost) =>
  Effect.gen(function* () {
    const context = (yield* explainedPlane(objects)).context()
    const definition = context.serviceOf("shop", hostname)
    assert.isDefined(definition)
    return nearMisses(context, definition)
  })

describe("nearMisses", () => {
  it.effect.each([
    {
      name: "a slice whose service-name is mistyped, in place of its pod",
      objects: [
        service("orders"),
        pod("orders-1", "10.8.0.1"),
        slice("orders", "10.8.0.1", {}, serviceName("order"))
      ],
      object: "EndpointSlice shop/orders-1",
      rule: "S-13",
      says: /Service shop\/order, to which label kubernetes\.io\/service-name of .* leads, is not there/,
      remedy:
        /set label kubernetes\.io\/service-name: orders in metadata\.labels of EndpointSlice shop\/orders-1/
    },
    {
      name: "a slice without service-name beside good ones",
      objects: [
        ...orders,
        pod("orders-2", "10.8.0.2"),
        {
          ...slice("orders", "10.8.0.2", { targetRef: { kind: "Pod", name: "orders-2" } }),
          metadata: { name: "orders-2", namespace: "shop" }
        }
      ],
      object: "EndpointSlice shop/orders-2",
      rule: "S-13",
      says: /belongs to no Service: it has no label/,
      remedy: /service-name: orders/
    },
    {
      name: "a pod that is selected and not listed",
      objects: [...orders, stranded("orders-2", "10.8.0.2", {})],
      object: "Pod shop/orders-2",
      rule: "S-13",
      says: /Service shop\/orders selects Pod shop\/orders-2, but no EndpointSlice lists it/,
      remedy: /list 10\.8\.0\.2/
    },
    {
      name: "a pod with a typing error in its label",
      objects: [...orders, stranded("orders-2", "10.8.0.2", { app: "ordres" })],
      object: "Pod shop/orders-2",
      rule: "S-13",
      says: /label app is "ordres", not "orders"/,
      remedy: /set label app=orders on Pod shop\/orders-2/
    },
    {
      name: "a WorkloadEntry that lacks one label of two",
      objects: [
        service("orders", { selector: { app: "orders", tier: "back" } }),
        workloadEntry("vm", { address: "10.20.0.1", labels: { app: "orders" } })
      ],
      object: "WorkloadEntry shop/vm",
      rule: "S-21",
      says: /label tier is missing, not "back"/,
      remedy: /set label tier=back/
    }
  ])("$name", ({ object, objects, remedy, rule, says }) =>
    Effect.gen(function* () {
      const [miss, ...others] = yield* missesOf(objects)
      assert.lengthOf(others, 0)
      assert.strictEqual(miss?.object, object)
      const [cause, ...more] = miss?.causes ?? []
      assert.lengthOf(more, 0)
      assert.strictEqual(cause?.rule, rule)
      assert.match(cause?.text ?? "", says)
      assert.match(cause?.remedy ?? "", remedy)
    })
  )

  it.effect("names an unready pod and a mistyped one of a ServiceEntry", () =>
    Effect.gen(function* () {
      const misses = yield* missesOf(
        [
          serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } }),
          pod("erp-1", "10.8.0.1", {}, { conditions: [{ type: "Ready", status: "False" }] }),
          workloadEntry("vm", { address: "10.20.0.1", labels: { app: "erp-vm" } })
        ],
        "erp.example"
      )
      assert.deepEqual(
        misses.map(({ causes, object }) => [object, causes[0]?.rule]),
        [
          ["Pod shop/erp-1", "S-18"],
          ["WorkloadEntry shop/vm", "S-32"]
        ]
      )
    })
  )

  it.effect("leaves out what belongs elsewhere", () =>
    Effect.gen(function* () {
      const misses = yield* missesOf([
        ...orders,
        // of another service, and labelled alike
        service("orders-db", { clusterIP: "10.96.0.2" }),
        pod("orders-db-1", "10.8.1.1", { labels: { app: "orders-db" } }),
        slice("orders-db", "10.8.1.1"),
        // leads nowhere, but is not like it
        slice("search", "10.8.2.1"),
        // other namespace, has run, is nothing like it
        pod("orders-3", "10.8.3.1", { namespace: "lobby" }),
        pod("orders-4", "10.8.4.1", {}, { phase: "Succeeded" }),
        pod("search-1", "10.8.2.1")
      ])
      assert.deepEqual(misses, [])
    })
  )
})
