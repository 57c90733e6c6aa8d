import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig } from "@istiod-lite/model"
import { formatManifestFault, readManifest } from "@istiod-lite/source-files"
import { istioObject, pod, service, serviceEntry, slice, workloadEntry } from "../testing/manifests.ts"
import { findRelations } from "./find-relations.ts"

/** What is found among these objects, which stand one to a line. */
const relationsOf = (...objects: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const reading = readManifest(objects.map((it) => JSON.stringify(it)).join("\n---\n"))
  return findRelations({
    mesh: defaultMeshConfig,
    objects: reading.objects.map(({ line, typed }) => ({ cluster: "", file: "a.yaml", line, typed })),
    rejected: new Set(reading.rejected)
  }).map(formatManifestFault)
}

const cart = [service("cart"), slice("cart", "10.8.0.1"), pod("cart-1", "10.8.0.1")]
const faulty = { ports: [{ port: "eighty" }] }

const endpoint = (name: string) => ({ addresses: ["10.8.0.1"], targetRef: { kind: "Pod", name } })
const rule = (host: string) => istioObject("DestinationRule", "rule", { host })

/** The remedies of a rule for a host, beside the cart. */
const remedyOf = (host: string, ...objects: ReadonlyArray<unknown>) =>
  relationsOf(rule(host), ...cart, ...objects).map((line) => line.replace(/.*Remedy: /, ""))

describe("findRelations", () => {
  it("has nothing to say about what fits together", () => {
    assert.deepEqual(
      relationsOf(
        ...cart,
        workloadEntry("vm", { address: "10.20.0.1", labels: { app: "erp" }, ports: { web: 8000 } }),
        service("erp", { selector: { app: "erp" }, ports: [{ name: "http", port: 80, targetPort: "web" }] }),
        serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } }),
        istioObject("DestinationRule", "short", { host: "cart" }),
        istioObject("DestinationRule", "full", { host: "cart.shop.svc.cluster.local" }),
        istioObject("DestinationRule", "all", { host: "*.local" }),
        istioObject("DestinationRule", "erp", { host: "erp.example" })
      ),
      []
    )
  })

  it("takes what is not there at all to be elsewhere", () => {
    const other = { namespace: "other" }
    for (const object of [
      service("cart"),
      slice("cart", "10.8.0.1"),
      serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } }),
      istioObject("DestinationRule", "cart", { host: "cart" }),
      istioObject("DestinationRule", "bank", { host: "bank.example" })
    ]) {
      assert.deepEqual(relationsOf(object), [])
      assert.deepEqual(
        relationsOf(object, pod("x-1", "10.8.0.9", other), service("x", { selector: {} }, other)),
        []
      )
    }
  })

  it("takes a faulty object for one that is there", () => {
    const faultyPod = pod("cart-1", "no IP")
    assert.deepEqual(
      relationsOf(
        service("cart", faulty),
        service("x", { selector: {} }),
        slice("cart", "10.8.0.1"),
        istioObject("DestinationRule", "cart", { host: "cart" })
      ),
      []
    )
    assert.deepEqual(relationsOf(service("cart"), faultyPod, pod("x-1", "10.8.0.2")), [])
    assert.deepEqual(relationsOf(service("cart"), slice("cart", "10.8.0.1"), faultyPod), [])
  })

  it("finds slices that lead to no Service", () => {
    assert.deepEqual(relationsOf(service("cart", { selector: {} }), slice("crat", "10.8.0.1")), [
      'a.yaml:3: Doubtful EndpointSlice shop/crat-1: metadata.labels["kubernetes.io/service-name"]: ' +
        'there is no such Service in namespace shop: received "crat". Remedy: did you mean cart?'
    ])
    const [unlabelled] = relationsOf(slice("cart", "10.8.0.1", {}, { labels: {} }))
    assert.match(unlabelled ?? "", /metadata\.labels: it belongs to no Service/)
  })

  it("finds slice ports whose names the Service does not have (case 79)", () => {
    const renamed = service("cart", { ports: [{ name: "http-web", port: 80 }] })
    assert.deepEqual(relationsOf(renamed, ...cart.slice(1)), [
      "a.yaml:3: Doubtful EndpointSlice shop/cart-1: ports[0].name: Service shop/cart has no port of this name, " +
        'so nobody is sent there: received "http". Remedy: write one of the Service\'s names: "http-web".'
    ])
  })

  it("finds pods that are not there, once for each slice", () => {
    const endpoints = [endpoint("cart-1"), endpoint("cart-8"), endpoint("cart-9")]
    const [found, ...others] = relationsOf(
      cart[0],
      { ...slice("cart", "10.8.0.1"), endpoints },
      pod("cart-1", "10.8.0.1")
    )
    assert.deepEqual(others, [])
    assert.match(
      found ?? "",
      /endpoints\[1\]\.targetRef\.name: there is no such Pod in namespace shop, and 1 more .*"cart-8"/
    )
  })

  it("finds selectors that nothing matches, and what was probably meant", () => {
    assert.deepEqual(
      relationsOf(
        service("cart", { selector: { app: "crat" } }),
        serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } }),
        pod("cart-1", "10.8.0.1")
      ),
      [
        "a.yaml:1: Doubtful Service shop/cart: spec.selector: no Pod and no WorkloadEntry of its namespace has app=crat. " +
          "Remedy: did you mean app=cart?",
        "a.yaml:3: Doubtful ServiceEntry shop/erp: spec.workloadSelector.labels: no Pod and no WorkloadEntry of its " +
          "namespace has app=erp. Remedy: correct the selector, or the labels of the workloads that are meant."
      ]
    )
  })

  it("finds named target ports that a machine lacks (S-21)", () => {
    const machine = workloadEntry("vm", {
      address: "10.20.0.1",
      labels: { app: "erp" },
      ports: { http: 8000 }
    })
    const named = { selector: { app: "erp" }, ports: [{ name: "http", port: 80, targetPort: "web" }] }
    assert.deepEqual(relationsOf(service("erp", named), machine), [
      'a.yaml:3: Doubtful WorkloadEntry shop/vm: spec.ports: Service shop/erp sends port 80 to "web", which is not among ' +
        "them. Remedy: add web with its number, or give the Service's targetPort as a number."
    ])
    assert.deepEqual(relationsOf(service("erp", { ...named, clusterIP: "None" }), machine), [])
  })

  it("finds hosts of DestinationRules that nothing has", () => {
    assert.deepEqual(remedyOf("catr"), ["did you mean cart.shop.svc.cluster.local?"])
    assert.deepEqual(remedyOf("cart.shop"), ["did you mean cart.shop.svc.cluster.local?"])
    assert.deepEqual(remedyOf("cart.shop.svc.clusterset.local"), [])
    assert.deepEqual(remedyOf("catr.shop.svc.clusterset.local"), [
      "did you mean cart.shop.svc.clusterset.local?"
    ])
    assert.deepEqual(remedyOf("orders"), ["correct it, or declare the service."])
    assert.deepEqual(remedyOf("bank.example"), [])
    assert.deepEqual(remedyOf("bank.example", serviceEntry("bank", "bnak.example")), [
      "did you mean bnak.example?"
    ])
  })
})
