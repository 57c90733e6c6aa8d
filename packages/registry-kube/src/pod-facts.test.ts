import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, Label } from "@istiod-lite/model"
import { node, pod } from "@istiod-lite/model/testing"
import { networkAssignment } from "./network-of.ts"
import { equalPodFacts, localityOfPod, podFactsOf } from "./pod-facts.ts"

const facts = (of = pod(), on = node("n1")) =>
  podFactsOf(of, {
    cluster: "c1",
    mesh: defaultMeshConfig,
    node: on,
    networks: networkAssignment({}, "c1", undefined)
  })

describe("localityOfPod (S-17)", () => {
  const zoned = node("n1", { [Label.region]: "eu", [Label.zone]: "eu-1" })
  const beta = node("n1", {
    "failure-domain.beta.kubernetes.io/region": "us",
    "failure-domain.beta.kubernetes.io/zone": "us-2"
  })
  it.each([
    [
      "its topology label",
      { [Label.topologyLocality]: "a.b.c", [Label.istioLocality]: "x.y.z" },
      zoned,
      "a/b/c"
    ],
    ["its older label", { [Label.istioLocality]: "x.y.z" }, zoned, "x/y/z"],
    ["its node, empty parts kept", {}, zoned, "eu/eu-1/"],
    ["its node's beta labels", {}, beta, "us/us-2/"],
    ["its node's subzone alone", {}, node("n1", { [Label.subzone]: "rack-1" }), "//rack-1"],
    ["nothing, if its node does not say", {}, node("n1"), ""],
    ["nothing, without a node", {}, undefined, ""]
  ])("is %s", (_, labels, on, expected) => {
    assert.strictEqual(localityOfPod(pod({ meta: { labels } }), on), expected)
  })
})

describe("podFactsOf", () => {
  it.each([
    ["ready and running", {}, true, false],
    ["not ready", { ready: false }, false, false],
    ["being deleted (D-13: not a deletion yet)", { deleting: true }, false, false],
    ["Failed", { phase: "Failed" }, false, true],
    ["Succeeded", { phase: "Succeeded" }, false, true],
    ["without an address", { ips: [] }, false, false]
  ] as const)(
    "knows whether a pod is available or ended: %s (S-13, S-18, D-13)",
    (_, fields, available, ended) => {
      const known = facts(pod(fields))
      assert.deepEqual({ available: known.available, ended: known.ended }, { available, ended })
    }
  )

  it("names the identity, and the trust domain of the cluster if it has its own (S-17)", () => {
    assert.strictEqual(facts().facts.serviceAccount, "spiffe://cluster.local/ns/shop/sa/reviews")
    const mesh = { ...defaultMeshConfig, clusterTrustDomains: { c1: "one.example" } }
    const networks = networkAssignment({}, "c1", undefined)
    assert.strictEqual(
      podFactsOf(pod(), { cluster: "c1", mesh, node: undefined, networks }).facts.serviceAccount,
      "spiffe://one.example/ns/shop/sa/reviews"
    )
  })

  it("always carries the network label, empty if there is no network (S-5)", () => {
    assert.deepEqual(facts(pod({ node: "n1" })).facts.labels, {
      app: "reviews",
      [Label.cluster]: "c1",
      [Label.hostname]: "n1",
      [Label.network]: ""
    })
  })

  it("keeps the labels that selectors match as the pod has them", () => {
    assert.deepEqual(facts().labels, { app: "reviews" })
  })

  it.each([
    ["no label", {}, "disabled"],
    ["istio", { [Label.tlsMode]: "istio" }, "istio"],
    ["a text of the user's", { [Label.tlsMode]: "mine" }, "mine"]
  ])("takes the TLS mode from the label: %s (S-17)", (_, labels, expected) => {
    assert.strictEqual(facts(pod({ meta: { labels } })).facts.tlsMode, expected)
  })

  it.each([
    ["without subdomain", {}, "", ""],
    ["with subdomain", { subdomain: "db" }, "reviews-1", "db"],
    ["with hostname and subdomain", { hostname: "db-0", subdomain: "db" }, "db-0", "db"],
    ["with hostname alone", { hostname: "db-0" }, "", ""]
  ])("names a pod of a headless service: %s", (_, fields, hostname, subdomain) => {
    const known = facts(pod(fields)).facts
    assert.deepEqual([known.hostname, known.subdomain], [hostname, subdomain])
  })
})

describe("equalPodFacts", () => {
  it("stops a heartbeat, and nothing else", () => {
    assert.isTrue(equalPodFacts(facts(), facts(pod({ meta: { resourceVersion: "2" } }))))
    assert.isFalse(equalPodFacts(facts(), facts(pod({ meta: { labels: { app: "cart" } } }))))
    assert.isFalse(equalPodFacts(facts(), facts(pod({ serviceAccount: "cart" }))))
    assert.isFalse(equalPodFacts(facts(), facts(pod({ ips: ["10.20.0.1", "fd00::1"] }))))
  })
})
