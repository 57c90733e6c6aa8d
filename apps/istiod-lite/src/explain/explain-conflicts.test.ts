import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, explainedPlane } from "../testing/explained-plane.ts"
import { pod, service, serviceEntry, slice, workloadEntry } from "../testing/manifests.ts"
import { explainAddress } from "./explain-address.ts"
import { explainConflicts } from "./explain-conflicts.ts"
import { hostClaims } from "./host-claims.ts"

const cart = service("cart")
const host = "cart.shop.svc.cluster.local"
const older = { creationTimestamp: "2025-01-01T00:00:00Z" }

describe("explainConflicts", () => {
  it.effect("finds none where none are", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane([cart, pod("cart-1", "10.8.0.1"), slice("cart", "10.8.0.1")])
      assert.deepEqual(explainConflicts(plane.context()), [])
    })
  )

  it.effect.each([
    {
      name: "a Kubernetes Service before ServiceEntries",
      objects: [cart, serviceEntry("cart-se", host, {}, { namespace: "legacy", ...older })],
      winner: "Service shop/cart",
      rule: "S-42",
      because:
        /a Kubernetes Service comes before ServiceEntries; clients of a namespace that declares the host itself/
    },
    {
      name: "the older ServiceEntry",
      objects: [
        serviceEntry("new", "erp.example"),
        serviceEntry("old", "erp.example", {}, { namespace: "legacy", ...older })
      ],
      winner: "ServiceEntry legacy/old",
      rule: "S-35",
      because: /it is the oldest \(2025-01-01T00:00:00Z/
    },
    {
      name: "what is of one namespace together",
      objects: [cart, serviceEntry("cart-vms", host, { endpoints: [{ address: "10.20.0.1" }] })],
      winner: "Service shop/cart",
      rule: "S-42",
      because: /the others, of the same namespace, add endpoints and ports/
    }
  ])("gives a host to $name", ({ because, objects, rule, winner }) =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane(objects)
      const [conflict, ...others] = explainConflicts(plane.context())
      assert.lengthOf(others, 0)
      assert.strictEqual(conflict?.kind, "host")
      assert.strictEqual(conflict?.winner, winner)
      assert.strictEqual(conflict?.rule, rule)
      assert.match(conflict?.because ?? "", because)
      assert.lengthOf(conflict?.claimants ?? [], 2)
    })
  )

  it.effect("finds services of one address, unless they are of two clusters", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane([cart, service("tax")])
      const [conflict] = explainConflicts(plane.context())
      assert.strictEqual(conflict?.kind, "virtual address")
      assert.deepEqual(conflict?.claimants, ["Service shop/cart", "Service shop/tax"])
      plane.delete(service("tax"))
      plane.applyTo("east", service("tax"))
      assert.deepEqual(explainConflicts(plane.context()), [])
    })
  )

  it.effect("finds workloads of one address and slices that disagree", () =>
    Effect.gen(function* () {
      const first = slice("cart", "10.8.0.1")
      const plane = yield* explainedPlane([
        cart,
        pod("cart-1", "10.8.0.1"),
        first,
        { ...first, metadata: { ...first.metadata, name: "cart-2" } },
        workloadEntry("cart-vm", { address: "10.8.0.1", labels: { app: "cart" }, ports: { http: 8080 } })
      ])
      assert.deepEqual(
        explainConflicts(plane.context()).map(({ claimants: [loser], kind, rule }) => [kind, loser, rule]),
        [
          ["slices", "EndpointSlice shop/cart-1", "S-15"],
          ["endpoint address", "WorkloadEntry shop/cart-vm", "D-17"]
        ]
      )
    })
  )
})

describe("hostClaims", () => {
  it.effect("gives the host to the client's own namespace", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane([
        serviceEntry("new", "erp.example"),
        serviceEntry("old", "erp.example", {}, { namespace: "legacy", ...older })
      ])
      const { discovery, sight } = plane.context()
      const { scope } = sight(clientOf("web-1", "shop").proxy).view
      const services = discovery.byHostname.lookup("erp.example").map(([, one]) => one)
      const claims = hostClaims(services, { service: scope.byHostname.get("erp.example"), namespace: "shop" })
      assert.deepEqual(
        claims.map(({ object, outcome, rule }) => [object, outcome, rule]),
        [
          ["ServiceEntry legacy/old", "loses", "S-46"],
          ["ServiceEntry shop/new", "wins", "S-46"]
        ]
      )
    })
  )
})

describe("explainAddress", () => {
  it.effect("tells everything that has an address", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane(
        [
          cart,
          pod("cart-1", "10.8.0.1"),
          slice("cart", "10.8.0.1"),
          workloadEntry("vm", { address: "10.8.0.1" }),
          {
            apiVersion: "v1",
            kind: "Node",
            metadata: { name: "n1" },
            status: { addresses: [{ type: "InternalIP", address: "10.8.0.1" }] }
          }
        ],
        { mesh: { networks: { far: { endpoints: [], gateways: [{ address: "10.8.0.1", port: 15443 }] } } } }
      )
      const { endpoints, uses } = explainAddress(plane.context(), "10.8.0.1")
      assert.deepEqual(
        uses.map(({ as, object }) => [as, object]),
        [
          ["pod", "Pod shop/cart-1"],
          ["machine", "WorkloadEntry shop/vm"],
          ["node", "Node n1"],
          ["network gateway", "network far"]
        ]
      )
      assert.deepEqual(
        endpoints.map(({ outcome }) => outcome),
        ["sent", "not sent"]
      )
      const vip = explainAddress(plane.context(), "10.96.0.1")
      assert.deepEqual(vip.uses, [
        {
          as: "virtual IP",
          object: "Service shop/cart",
          detail: "cart.shop.svc.cluster.local, for clients of cluster Kubernetes"
        }
      ])
    })
  )
})
