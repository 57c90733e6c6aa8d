import { assert, describe, it } from "@effect/vitest"
import type { ControlPlaneOptions } from "@istiod-lite/testkit"
import { Effect } from "effect"
import { causes, clientOf, explainedPlane } from "../testing/explained-plane.ts"
import { istioObject, pod, service, serviceEntry, slice, workloadEntry } from "../testing/manifests.ts"
import type { Client } from "./clients.ts"

const cart = service("cart")
const cartPod = pod("cart-1", "10.8.0.1")
const cartSlice = slice("cart", "10.8.0.1")
const mesh = [cart, cartPod, cartSlice]
const unready = { conditions: { ready: false, serving: false, terminating: false } }
const terminating = { conditions: { ready: false, serving: true, terminating: true } }
const web = clientOf("web-1", "shop", { NODE_NAME: "n2", NETWORK: "n-shop" })
const guest = clientOf("guest-1", "lobby")

/** Why an endpoint is missing, and what is said about it. */
interface Reason {
  readonly name: string
  readonly objects: ReadonlyArray<unknown>
  readonly elsewhere?: Readonly<Record<string, ReadonlyArray<unknown>>>
  readonly mesh?: ControlPlaneOptions["mesh"]
  /** default: 10.8.0.1 */
  readonly subject?: string
  readonly client?: Client
  readonly outcome?: string
  readonly rule: string
  readonly says: RegExp
  readonly remedy: RegExp
}

const reasons: ReadonlyArray<Reason> = [
  {
    name: "no discovery selector selects the namespace",
    objects: mesh,
    mesh: {
      discoverySelectors: [{ matchLabels: { mesh: "on" }, matchExpressions: [] }]
    },
    rule: "S-22",
    says: /Namespace shop, which is not there, is selected by no discoverySelectors/,
    remedy: /give Namespace shop the labels/
  },
  {
    name: "the pod is missing",
    objects: [cart, cartSlice],
    rule: "S-13",
    says: /Pod shop\/cart-1, which EndpointSlice shop\/cart-1 names for 10\.8\.0\.1, is not there/,
    remedy:
      /create Pod shop\/cart-1, or take it out of endpoints\[\]\.targetRef of EndpointSlice shop\/cart-1/
  },
  {
    name: "the pod has ended",
    objects: [cart, pod("cart-1", "10.8.0.1", {}, { phase: "Failed" }), cartSlice],
    rule: "D-13",
    says: /Pod shop\/cart-1 has ended: its status\.phase/,
    remedy: /replace Pod shop\/cart-1/
  },
  {
    name: "the pod was replaced by one of the same name",
    objects: [
      cart,
      pod("cart-1", "10.8.0.1", { uid: "new" }),
      slice("cart", "10.8.0.1", { targetRef: { kind: "Pod", name: "cart-1", namespace: "shop", uid: "old" } })
    ],
    rule: "D-13",
    says: /means an earlier Pod shop\/cart-1: the uid differs/,
    remedy: /endpoints\[\]\.targetRef\.uid/
  },
  {
    name: "it is not ready, and the mesh does not send unready ones",
    objects: [cart, cartPod, slice("cart", "10.8.0.1", unready)],
    mesh: { sendUnhealthyEndpoints: false },
    rule: "S-62",
    says: /not ready, and unhealthy endpoints are not sent/,
    remedy: /make pod shop\/cart-1 ready/
  },
  {
    name: "it is not ready, so that it is sent and not used",
    objects: [cart, cartPod, slice("cart", "10.8.0.1", unready)],
    outcome: "not usable",
    rule: "S-14",
    says: /not ready/,
    remedy: /make Pod shop\/cart-1 ready; conditions\.ready of EndpointSlice shop\/cart-1/
  },
  {
    name: "it is not ready, and outlier detection has a minHealthPercent",
    objects: [
      cart,
      cartPod,
      slice("cart", "10.8.0.1", unready),
      istioObject("DestinationRule", "cart", {
        host: "cart",
        trafficPolicy: { outlierDetection: { minHealthPercent: 50 } }
      })
    ],
    rule: "S-62",
    says: /outlier detection has a minHealthPercent/,
    remedy: /remove outlierDetection\.minHealthPercent from the DestinationRule/
  },
  {
    name: "it is terminating",
    objects: [cart, cartPod, slice("cart", "10.8.0.1", terminating)],
    rule: "S-62",
    says: /is terminating/,
    remedy: /wait for its replacement/
  },
  {
    name: "it is draining",
    objects: [cart, pod("cart-1", "10.8.0.1", { labels: { "istio.io/draining": "true" } }), cartSlice],
    rule: "S-62",
    says: /is draining, and the service keeps no persistent sessions/,
    remedy: /set label istio\.io\/persistent-session on the Service/
  },
  {
    name: "a machine lacks the named port",
    objects: [
      service("cart", { ports: [{ name: "http", port: 80, targetPort: "web" }] }),
      workloadEntry("cart-vm", { address: "10.8.0.1", labels: { app: "cart" } })
    ],
    rule: "S-21",
    says: /WorkloadEntry shop\/cart-vm does not have a port that the service's targetPort names: web/,
    remedy: /add web to spec\.ports of WorkloadEntry shop\/cart-vm/
  },
  {
    name: "the slice's port has another name than the Service's",
    objects: [service("cart", { ports: [{ name: "http-web", port: 80 }] }), cartPod, cartSlice],
    rule: "S-62",
    says: /serves port name "http", the service port is named "http-web"/,
    remedy:
      /set ports\[\]\.name: http-web in EndpointSlice shop\/cart-1, or spec\.ports\[\]\.name: http in Service shop\/cart/
  },
  {
    name: "the service is not exported to the client's namespace",
    objects: [
      service("cart", {}, { annotations: { "networking.istio.io/exportTo": "." } }),
      cartPod,
      cartSlice
    ],
    client: guest,
    rule: "S-46",
    says: /Service shop\/cart is exported to shop, not to namespace lobby/,
    remedy: /add lobby to annotation networking\.istio\.io\/exportTo of Service shop\/cart/
  },
  {
    name: "the client's Sidecar does not import the service",
    objects: [
      ...mesh,
      istioObject("Sidecar", "narrow", { egress: [{ hosts: ["./*"] }] }, { namespace: "lobby" })
    ],
    client: guest,
    rule: "S-46",
    says: /Sidecar lobby\/narrow does not import cart\.shop\.svc\.cluster\.local/,
    remedy: /add "shop\/cart\.shop\.svc\.cluster\.local" to spec\.egress\[\]\.hosts of Sidecar lobby\/narrow/
  },
  {
    name: "the pod is in no subset",
    objects: [
      ...mesh,
      istioObject("DestinationRule", "cart", {
        host: "cart",
        subsets: [{ name: "v1", labels: { version: "v1" } }]
      })
    ],
    outcome: "partly sent",
    rule: "S-62",
    says: /is not in subset v1: label version is missing, not "v1"/,
    remedy: /set label version=v1 on pod shop\/cart-1/
  },
  {
    name: "the service is local to the client's node",
    objects: [service("cart", { internalTrafficPolicy: "Local" }), cartPod, cartSlice],
    client: web,
    rule: "S-12",
    says: /is on node n1, and the service is local to the client's node "n2"/,
    remedy: /spec\.internalTrafficPolicy: Cluster/
  },
  {
    name: "the service is local to its cluster",
    objects: [cart],
    elsewhere: { east: mesh },
    mesh: { serviceSettings: [{ hosts: ["cart.shop.svc.cluster.local"], clusterLocal: true }] },
    client: web,
    rule: "S-52",
    says: /is in cluster "east"/,
    remedy: /serviceSettings\.clusterLocal: false/
  },
  {
    name: "it is in another network and does not speak mutual TLS",
    objects: [
      cart,
      pod("cart-1", "10.8.0.1", { labels: { "topology.istio.io/network": "n-far" } }),
      cartSlice
    ],
    mesh: { networks: { "n-far": { endpoints: [], gateways: [{ address: "203.0.113.9", port: 15443 }] } } },
    client: web,
    rule: "S-64",
    says: /does not speak mutual TLS, without which gateways cannot lead to network n-far/,
    remedy: /inject a sidecar into pod shop\/cart-1/
  },
  {
    name: "a machine without address has no gateway",
    objects: [
      cart,
      workloadEntry("cart-vm", { network: "n-far", labels: { app: "cart" }, serviceAccount: "cart" })
    ],
    subject: "shop/cart-vm",
    client: web,
    rule: "D-11",
    says: /has no address, and no gateway leads to its network n-far/,
    remedy: /set spec\.address in WorkloadEntry shop\/cart-vm/
  },
  {
    name: "another workload of the service has the address",
    objects: [
      ...mesh,
      workloadEntry("cart-vm", { address: "10.8.0.1", labels: { app: "cart" }, ports: { http: 8080 } })
    ],
    subject: "cart-vm.shop",
    rule: "D-17",
    says: /has the same address, 10\.8\.0\.1:8080, as pod shop\/cart-1, which is sent/,
    remedy: /delete WorkloadEntry shop\/cart-vm/
  },
  {
    name: "a newer slice tells the address",
    objects: [
      ...mesh,
      {
        ...slice("cart", "10.8.0.1", unready),
        metadata: { ...cartSlice.metadata, name: "cart-2" }
      }
    ],
    rule: "S-15",
    says: /EndpointSlice shop\/cart-2 tells the same address and port, and is the newer one/,
    remedy: /remove the address from endpoints\[\] of EndpointSlice shop\/cart-1/
  },
  {
    name: "the ServiceEntry has an empty workloadSelector",
    objects: [
      serviceEntry("erp", "erp.example", { workloadSelector: {} }),
      workloadEntry("erp-vm", { address: "10.8.0.1", labels: { app: "erp" } })
    ],
    rule: "D-16",
    says: /ServiceEntry shop\/erp has an empty workloadSelector, which selects nothing/,
    remedy: /name labels in spec\.workloadSelector\.labels of ServiceEntry shop\/erp/
  },
  {
    name: "the machine's health check does not pass",
    objects: [
      cart,
      workloadEntry(
        "cart-vm",
        { address: "10.8.0.1", labels: { app: "cart" } },
        { annotations: { "proxy.istio.io/health-checks-enabled": "true" } },
        { conditions: [{ type: "Healthy", status: "False" }] }
      )
    ],
    rule: "S-34",
    says: /condition Healthy of WorkloadEntry shop\/cart-vm is False/,
    remedy: /make its health check pass, so that status\.conditions\[Healthy\] of WorkloadEntry shop\/cart-vm/
  },
  {
    name: "the machine is in another namespace than the selector",
    objects: [
      cart,
      workloadEntry("cart-vm", { address: "10.8.0.1", labels: { app: "cart" } }, { namespace: "legacy" })
    ],
    rule: "S-21",
    says: /Service shop\/cart would select it, but selects in namespace shop only; WorkloadEntry legacy\/cart-vm is in legacy/,
    remedy: /move WorkloadEntry legacy\/cart-vm to namespace shop/
  },
  {
    name: "the machine's label has another value than the selector",
    objects: [cart, workloadEntry("cart-vm", { address: "10.8.0.1", labels: { app: "carts" } })],
    rule: "S-21",
    says: /Service shop\/cart does not select it: label app is "carts", not "cart"/,
    remedy:
      /set label app=cart on WorkloadEntry shop\/cart-vm, or change spec\.selector of Service shop\/cart/
  },
  {
    name: "clients resolve the service by DNS",
    objects: [
      serviceEntry("erp", "erp.example", { resolution: "DNS", endpoints: [{ address: "10.8.0.1" }] })
    ],
    rule: "S-60",
    says: /clients resolve erp\.example by DNS themselves/,
    remedy: /set spec\.resolution: STATIC in ServiceEntry shop\/erp/
  },
  {
    name: "the slice belongs to no Service",
    objects: [cart, cartPod, slice("cart", "10.8.0.1", {}, { labels: {} })],
    rule: "S-13",
    says: /EndpointSlice shop\/cart-1 belongs to no Service/,
    remedy: /set label kubernetes\.io\/service-name in metadata\.labels of EndpointSlice shop\/cart-1/
  },
  {
    name: "the Service is missing",
    objects: [cartPod, cartSlice],
    rule: "S-13",
    says: /Service shop\/cart, to which label kubernetes\.io\/service-name of EndpointSlice shop\/cart-1 leads, is not there/,
    remedy: /create Service shop\/cart/
  },
  {
    name: "the Service is another name of a host",
    objects: [
      service("cart", { type: "ExternalName", externalName: "cart.example", clusterIP: "" }),
      cartPod,
      cartSlice
    ],
    rule: "S-10",
    says: /Service shop\/cart is another name \(ExternalName\) of cart\.example/,
    remedy: /explain service cart\.example/
  },
  {
    name: "the Service is headless",
    objects: [service("cart", { clusterIP: "None" }), cartPod, cartSlice],
    rule: "S-50",
    says: /Service shop\/cart is headless/,
    remedy: /give Service shop\/cart a cluster IP/
  },
  {
    name: "the Service is exported to nobody",
    objects: [
      service("cart", {}, { annotations: { "networking.istio.io/exportTo": "~" } }),
      cartPod,
      cartSlice
    ],
    rule: "S-11",
    says: /Service shop\/cart is exported to nobody/,
    remedy: /take "~" out of annotation networking\.istio\.io\/exportTo of Service shop\/cart/
  },
  {
    name: "a Service takes machines by IP only",
    objects: [cart, workloadEntry("cart-vm", { address: "cart.example", labels: { app: "cart" } })],
    subject: "shop/cart-vm",
    rule: "S-21",
    says: /has "cart\.example" for an address, and Kubernetes Services take machines by IP only/,
    remedy: /set an IP in spec\.address of WorkloadEntry shop\/cart-vm/
  },
  {
    name: "a headless Service takes no machines",
    objects: [
      service("cart", { clusterIP: "None" }),
      workloadEntry("cart-vm", { address: "10.8.0.1", labels: { app: "cart" } })
    ],
    rule: "S-21",
    says: /Service shop\/cart is headless or an alias, and takes no machines/,
    remedy: /give Service shop\/cart a cluster IP/
  },
  {
    name: "a ServiceEntry without DNS takes no names",
    objects: [
      serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } }),
      workloadEntry("erp-vm", { address: "erp-1.example", labels: { app: "erp" } })
    ],
    subject: "shop/erp-vm",
    rule: "S-32",
    says: /ServiceEntry shop\/erp \(resolution STATIC\) does not take address "erp-1\.example"/,
    remedy: /names need spec\.resolution: DNS in ServiceEntry shop\/erp/
  },
  {
    name: "DNS round robin takes one endpoint only",
    objects: [
      serviceEntry("erp", "erp.example", {
        resolution: "DNS_ROUND_ROBIN",
        workloadSelector: { labels: { app: "erp" } }
      }),
      workloadEntry("erp-1", { address: "10.8.0.2", labels: { app: "erp" } }),
      workloadEntry("erp-2", { address: "10.8.0.1", labels: { app: "erp" } })
    ],
    rule: "S-35",
    says: /takes one endpoint of each port, and an earlier one has it/,
    remedy: /set spec\.resolution: DNS in ServiceEntry shop\/erp/
  },
  {
    name: "a ServiceEntry selects the pod only while it is ready",
    objects: [
      serviceEntry("cart", "cart.example", { workloadSelector: { labels: { app: "cart" } } }),
      pod("cart-1", "10.8.0.1", {}, { conditions: [{ type: "Ready", status: "False" }] })
    ],
    rule: "S-18",
    says: /Pod shop\/cart-1 is Running, not ready: ServiceEntries take pods only while they are ready/,
    remedy: /make Pod shop\/cart-1 ready/
  },
  {
    name: "nothing selects the machine",
    objects: [cart, workloadEntry("vm", { address: "10.8.0.1" })],
    rule: "S-32",
    says: /no Service or ServiceEntry of namespace shop selects WorkloadEntry shop\/vm/,
    remedy: /put labels on WorkloadEntry shop\/vm/
  },
  {
    name: "no slice lists the pod",
    objects: [cart, cartPod],
    rule: "S-13",
    says: /Service shop\/cart selects Pod shop\/cart-1, but no EndpointSlice lists it/,
    remedy: /list 10\.8\.0\.1 in endpoints\[\] of an EndpointSlice of Service shop\/cart/
  }
]

describe("explainEndpoint names the cause and the remedy when", () => {
  it.effect.each(reasons)("$name", (reason) =>
    Effect.gen(function* () {
      const { client, elsewhere = {}, objects, outcome = "not sent", subject = "10.8.0.1" } = reason
      const plane = yield* explainedPlane(objects, reason.mesh === undefined ? {} : { mesh: reason.mesh })
      for (const [cluster, more] of Object.entries(elsewhere)) plane.applyTo(cluster, ...more)
      const explained = plane.explain(subject, client).find((one) => causes(one).length > 0)
      assert.isDefined(explained)
      const [first] = causes(explained)
      assert.match(first?.text ?? "", reason.says)
      assert.strictEqual(first?.rule, reason.rule)
      assert.match(first?.remedy ?? "", reason.remedy)
      assert.strictEqual(explained.outcome, outcome)
    })
  )
})

describe("explainEndpoint", () => {
  it.effect("finds nothing to say against an endpoint that is sent, and what it was made from", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane(mesh)
      const [explained, ...others] = plane.explain("10.8.0.1:8080", web)
      assert.lengthOf(others, 0)
      assert.strictEqual(explained?.outcome, "sent")
      assert.deepEqual(explained?.madeFrom, [
        "EndpointSlice shop/cart-1",
        "Namespace istio-system (not there)",
        "Namespace shop (not there)",
        "Node n1 (not there)",
        "Pod shop/cart-1",
        "Service shop/cart"
      ])
    })
  )

  it.effect("knows nothing of an address that no object has", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane(mesh)
      assert.deepEqual(plane.explain("10.8.0.9"), [])
    })
  )
})
