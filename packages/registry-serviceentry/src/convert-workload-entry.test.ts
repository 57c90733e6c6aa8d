import { assert, describe, it } from "@effect/vitest"
import { Annotation, defaultMeshConfig, Label } from "@istiod-lite/model"
import { objectMeta, workloadEntry, workloadSpec } from "@istiod-lite/model/testing"
import {
  convertInlineEndpoint,
  convertWorkloadEntry,
  hostAsWorkload,
  isPresent
} from "./convert-workload-entry.ts"

const convert = (fields: Parameters<typeof workloadEntry>[0] = {}) =>
  convertWorkloadEntry(workloadEntry(fields), "c1", defaultMeshConfig)
const owner = objectMeta({ name: "bank", namespace: "shop" })

describe("convertWorkloadEntry (S-34)", () => {
  it.each([
    ["192.0.2.1", "ip"],
    ["2001:db8::1", "ip"],
    ["db.example", "hostname"],
    ["unix:///run/db", "unix"],
    ["", "none"]
  ])("tells what kind of address %j is: %s (S-3)", (address, expected) => {
    assert.strictEqual(convert({ spec: { address } }).addressKind, expected)
  })

  it("merges labels, the metadata's over the spec's, and adds where it runs (S-5)", () => {
    const labels = { app: "erp", version: "v2" }
    const { facts } = convert({
      meta: { labels },
      spec: { labels: { app: "old", tier: "db" }, locality: "eu/eu-1" }
    })
    assert.deepEqual(facts.labels, {
      ...labels,
      tier: "db",
      [Label.cluster]: "c1",
      [Label.region]: "eu",
      [Label.zone]: "eu-1"
    })
  })

  it.each([
    ["disabled without service account", {}, {}, "disabled"],
    ["istio with one", { serviceAccount: "erp" }, {}, "istio"],
    ["what the label says", { serviceAccount: "erp" }, { [Label.tlsMode]: "disabled" }, "disabled"]
  ])("has TLS mode %s", (_, spec, labels, expected) => {
    assert.strictEqual(convert({ spec, meta: { labels } }).facts.tlsMode, expected)
  })

  it("has the identity of its service account, or none", () => {
    assert.strictEqual(
      convert({ spec: { serviceAccount: "erp" } }).facts.serviceAccount,
      "spiffe://cluster.local/ns/shop/sa/erp"
    )
    assert.strictEqual(convert().facts.serviceAccount, "")
  })

  it("has the network that its spec says; a network label stays a label", () => {
    const labels = { [Label.network]: "n2" }
    const { facts } = convert({ meta: { labels } })
    assert.deepEqual([facts.network, facts.labels[Label.network]], ["", "n2"])
    assert.strictEqual(convert({ spec: { network: "n1" } }).facts.labels[Label.network], "n1")
  })

  it.each([
    ["its spec", { locality: "eu/eu-1" }, "eu/eu-1"],
    ["its label", {}, "us/us-2"]
  ])("has the locality of %s", (_, spec, expected) => {
    const labels = { [Label.istioLocality]: "us.us-2" }
    assert.strictEqual(convert({ spec, meta: { labels } }).facts.locality, expected)
  })

  it.each([
    [
      "the group that registered it",
      { [Annotation.autoRegistrationGroup]: "erp" },
      { [Label.workloadName]: "x" },
      "erp"
    ],
    ["its label", {}, { [Label.workloadName]: "erp" }, "erp"],
    ["itself", {}, {}, "erp-1"]
  ])("is of the workload named by %s", (_, annotations, labels, expected) => {
    assert.strictEqual(convert({ meta: { annotations, labels } }).facts.workloadName, expected)
  })

  it("takes no workload name from the spec's labels", () => {
    assert.strictEqual(
      convert({ spec: { labels: { [Label.workloadName]: "x" } } }).facts.workloadName,
      "erp-1"
    )
  })
})

describe("isPresent (S-34)", () => {
  it.each([
    ["without health checks", "", undefined, true],
    ["with health checks off", "false", false, true],
    ["with health checks on, not checked yet", "true", undefined, false],
    ["with health checks on, unhealthy", "true", false, false],
    ["with health checks on, healthy", "T", true, true]
  ])("a machine %s", (_, annotation, healthy, expected) => {
    const annotations = annotation === "" ? {} : { [Annotation.healthChecksEnabled]: annotation }
    assert.strictEqual(isPresent(workloadEntry({ healthy, meta: { annotations } })), expected)
  })
})

describe("convertInlineEndpoint (S-34)", () => {
  it("is a workload named after its entry and place, and takes its name from no label", () => {
    const spec = workloadSpec({ labels: { [Label.workloadName]: "x" }, ports: { http: 7070 }, weight: 5 })
    const workload = convertInlineEndpoint(spec, 3, owner, "c1", defaultMeshConfig)
    assert.deepInclude(workload, { name: "bank-3", health: "UNKNOWN", ports: { http: 7070 } })
    assert.deepInclude(workload.facts, { workloadName: "bank-3", weight: 5 })
    assert.deepInclude(workload.origin, { kind: "Inline", name: "bank" })
  })
})

describe("hostAsWorkload (S-32)", () => {
  it("stands at the host's name, without labels or TLS, as its entry's workload", () => {
    const { addressKind, facts } = hostAsWorkload("maps.example", owner, "c1")
    assert.strictEqual(addressKind, "hostname")
    assert.deepInclude(facts, {
      addresses: ["maps.example"],
      labels: {},
      tlsMode: "disabled",
      workloadName: "bank"
    })
  })
})
