import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Kind, kinds } from "../objects/kinds.ts"
import { decodeObject, identifyObject } from "./decode-object.ts"
import { decode, faultsOf, manifest, placesOf } from "./decode-testing.ts"
import { formatFault } from "./fault.ts"
import { unknownCreationTime } from "./object-meta.ts"

const faulty = (raw: unknown) => decodeObject(raw).faults.map((fault) => `${fault.path}: ${fault.reason}`)

const doubtful = (apiVersion: string, kind: string) =>
  decodeObject({ apiVersion, kind, metadata: { name: "a" } }).faults.map(formatFault)

const warned = (kind: Kind, fields: object, metadata: object = {}) =>
  faultsOf(kind, fields, metadata)
    .filter(({ severity }) => severity === "warning")
    .map(({ path, reason, remedy }) => `${reason} ${path}: ${remedy}`)

describe("decodeObject", () => {
  it("reads the metadata", () => {
    const metadata = {
      uid: "u",
      creationTimestamp: "2026-03-01T09:00:00.5+01:00",
      resourceVersion: "7",
      labels: { app: "a" },
      annotations: { note: "b" }
    }
    assert.deepEqual(decode("Namespace", {}, metadata).meta, {
      name: "a",
      namespace: "",
      uid: "u",
      creationTime: "2026-03-01T08:00:00Z",
      resourceVersion: "7",
      labels: { app: "a" },
      annotations: { note: "b" }
    })
  })

  it("puts namespaced objects without a namespace into default, and dates undated ones", () => {
    const { meta } = decode("Pod", {}, { namespace: undefined })
    assert.strictEqual(meta.namespace, "default")
    assert.strictEqual(meta.creationTime, unknownCreationTime)
  })

  it("lets the source set time and version", () => {
    const context = { defaultCreationTime: "2020-01-01T00:00:00Z", resourceVersion: "0042" }
    const decoded = decodeObject(manifest("Pod", {}, { resourceVersion: "7" }), context)
    assert.isTrue(decoded.outcome === "object" && decoded.object.meta.resourceVersion === "0042")
    assert.isTrue(
      decoded.outcome === "object" && decoded.object.meta.creationTime === context.defaultCreationTime
    )
  })

  it("reads every kind from nothing but a name, or says what it needs", () => {
    const needs: Record<string, ReadonlyArray<string>> = {
      DestinationRule: ["error spec.host"],
      EndpointSlice: ["error addressType"],
      Gateway: ["warning spec.servers"],
      ServiceEntry: ["error spec.hosts"],
      WorkloadEntry: ["warning spec.address"]
    }
    for (const kind of kinds) assert.deepEqual(placesOf(kind, {}), needs[kind] ?? [], kind)
  })

  it("passes over fields and kinds that discovery does not read", () => {
    assert.deepEqual(faultsOf("Pod", { spec: { tolerations: 1, new: {} }, extra: [] }), [])
    for (const [apiVersion, kind] of [
      ["apps/v1", "Deployment"],
      ["v1", "ConfigMap"],
      ["gateway.networking.k8s.io/v1", "Gateway"],
      ["serving.knative.dev/v1", "Service"]
    ]) {
      const decoded = decodeObject({ apiVersion, kind, metadata: { name: "a" } })
      assert.strictEqual(decoded.outcome, "ignored")
      assert.deepEqual(
        decoded.faults.map((fault) => fault.severity),
        ["info"]
      )
    }
  })

  it("asks whether a field that it knows was meant", () => {
    assert.deepEqual(warned("Service", { spec: { selectors: { app: "a" } } }), [
      "unknown field spec.selectors: did you mean selector?"
    ])
    const spec = { hosts: ["a.b"], workLoadSelector: {}, endpoint: [], export_to: ["."] }
    assert.deepEqual(warned("ServiceEntry", { spec }), [
      "unknown field spec.workLoadSelector: did you mean workloadSelector?",
      "unknown field spec.endpoint: did you mean endpoints?",
      "unknown field spec.export_to: did you mean exportTo?"
    ])
    assert.include(
      warned("ServiceEntry", {
        spec: { hosts: ["a.b"], resolution: "STATIC", endpoints: [{ adress: "10.0.0.1" }] }
      }),
      "unknown field spec.endpoints[0].adress: did you mean address?"
    )
    assert.deepEqual(warned("Pod", {}, { label: { app: "a" } }), [
      "unknown field metadata.label: did you mean labels?"
    ])
  })

  it("asks after no fields of objects that an API server has checked", () => {
    const raw = { apiVersion: "v1", kind: "Service", metadata: { name: "a", label: {} }, spec: {} }
    assert.lengthOf(decodeObject(raw).faults, 1)
    assert.lengthOf(decodeObject(raw, { isChecked: true }).faults, 0)
  })

  it("says nothing of fields that exist but mean nothing to discovery, and of names that users choose", () => {
    const service = {
      externalTrafficPolicy: "Local",
      ipFamilies: ["IPv4"],
      sessionAffinity: "None",
      selector: { ports: "1", port: "2" }
    }
    const sidecar = { ingress: [{ port: { number: 1 } }], egress: undefined }
    const entry = { address: "10.0.0.1", ports: { "http-1": 1, "http-2": 2 } }
    const rule = {
      host: "a.b",
      trafficPolicy: { tls: { sni: "a" }, connectionPool: {}, outlierDetection: { maxEjectionPercent: 1 } }
    }
    const route = { http: [{ rewrite: {}, headers: {}, fault: {}, retries: {}, timeout: "1s", name: "a" }] }
    assert.deepEqual(placesOf("Service", { spec: service }), [])
    assert.deepEqual(placesOf("Sidecar", { spec: sidecar }), [])
    assert.deepEqual(placesOf("WorkloadEntry", { spec: entry }), [])
    assert.deepEqual(placesOf("DestinationRule", { spec: rule }), [])
    assert.deepEqual(placesOf("VirtualService", { spec: route }), [])
    const both = { selector: { app: "a" }, selectors: { app: "b" } }
    assert.deepEqual(placesOf("Service", { spec: both }), [], "the field is there")
  })

  it("asks whether a kind like ours was meant", () => {
    assert.deepEqual(doubtful("networking.istio.io/v1", "ServiceEntrie"), [
      "Doubtful ServiceEntrie default/a: kind: discovery does not use ServiceEntrie of networking.istio.io/v1: " +
        'received "ServiceEntrie". Remedy: did you mean kind: ServiceEntry?'
    ])
    assert.match(
      doubtful("networking.istio.io/v1", "WorkLoadEntry").join(),
      /did you mean kind: WorkloadEntry\?$/
    )
    assert.match(doubtful("v1", "Servcie").join(), /did you mean kind: Service\?$/)
    assert.match(
      doubtful("v1", "ServiceEntry").join(),
      /did you mean apiVersion: networking\.istio\.io\/v1\?$/
    )
    assert.match(doubtful("networking.istio.io/v1", "Service").join(), /did you mean apiVersion: v1\?$/)
  })

  it("takes the other kinds of the same APIs for what they are", () => {
    const others = {
      v1: ["ConfigMap", "Secret", "ServiceAccount", "Endpoints", "Event", "PodTemplate", "LimitRange"],
      "networking.istio.io/v1alpha3": ["EnvoyFilter", "ProxyConfig"],
      "security.istio.io/v1": ["AuthorizationPolicy", "RequestAuthentication"],
      "telemetry.istio.io/v1": ["Telemetry"],
      "extensions.istio.io/v1alpha1": ["WasmPlugin"],
      "gateway.networking.k8s.io/v1": ["Gateway", "GatewayClass", "HTTPRoute", "GRPCRoute"],
      "apps/v1": ["Deployment", "Servcie"]
    }
    for (const [apiVersion, names] of Object.entries(others))
      for (const kind of names) {
        const decoded = decodeObject({ apiVersion, kind, metadata: { name: "a" } })
        assert.deepEqual(decoded.outcome, "ignored")
        assert.deepEqual(
          decoded.faults.map(({ severity }) => severity),
          ["info"],
          kind
        )
      }
  })

  it("refuses what is no object of a known version", () => {
    assert.deepEqual(faulty("text"), [": expected an object"])
    assert.deepEqual(faulty([]), [": expected an object"])
    assert.deepEqual(faulty({}), ["apiVersion: is required", "kind: is required"])
    assert.deepEqual(faulty({ apiVersion: "v1", kind: "Pod" }), ["metadata.name: is required"])
    assert.deepEqual(
      faulty({
        apiVersion: "discovery.k8s.io/v1beta1",
        kind: "EndpointSlice",
        metadata: { name: "a" },
        addressType: "IPv4"
      }),
      ["apiVersion: this version is not known"]
    )
  })

  it("reads the older versions of Istio's API", () => {
    for (const version of ["v1", "v1beta1", "v1alpha3"]) {
      const raw = {
        apiVersion: `networking.istio.io/${version}`,
        kind: "ServiceEntry",
        metadata: { name: "a" },
        spec: { hosts: ["a.b"] }
      }
      assert.strictEqual(decodeObject(raw).outcome, "object")
    }
  })

  it("names a rejected object, if it can", () => {
    const rejected = decodeObject(manifest("ServiceEntry"))
    assert.deepInclude(rejected, {
      outcome: "rejected",
      identity: { kind: "ServiceEntry", namespace: "shop", name: "a" }
    })
    assert.deepInclude(decodeObject(manifest("Pod", {}, { name: undefined })), {
      outcome: "rejected",
      identity: undefined
    })
  })

  it("explains a fault in one line", () => {
    const [fault] = faultsOf("ServiceEntry", { spec: { hosts: ["a.b"], ports: [{ number: 0, name: "x" }] } })
    assert.strictEqual(
      fault && formatFault(fault),
      "Cannot read ServiceEntry shop/a: spec.ports[0].number: expected 1..65535: received 0. Remedy: write a whole number in that range."
    )
  })

  it("finds all faults of an object at once, but not without end", () => {
    const spec = {
      hosts: [1],
      ports: "none",
      resolution: "SOMETIMES",
      workloadSelector: { labels: { app: 1 } }
    }
    assert.lengthOf(
      faultsOf("ServiceEntry", { spec }).filter((it) => it.severity === "error"),
      5
    )
    const ports = Array.from({ length: 1000 }, () => ({ port: "x" }))
    assert.lengthOf(faultsOf("Service", { spec: { ports } }), 50)
  })

  it("never throws, whatever it is given", () => {
    const value = fc.anything({ withNullPrototype: true })
    fc.assert(
      fc.property(fc.constantFrom(...kinds), value, value, value, (kind, spec, status, metadata) => {
        const raw = { ...Object(manifest(kind)), spec, status, endpoints: spec, ports: status }
        assert.isDefined(decodeObject(raw).outcome)
        assert.isDefined(decodeObject({ ...raw, metadata }).outcome)
      })
    )
  })
})

describe("identifyObject", () => {
  it("looks at kind and name only", () => {
    assert.deepEqual(identifyObject(manifest("Pod", { spec: 1 })), {
      kind: "Pod",
      namespace: "shop",
      name: "a"
    })
    assert.deepEqual(identifyObject(manifest("Node")), { kind: "Node", namespace: "", name: "a" })
    assert.isUndefined(identifyObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }))
    assert.isUndefined(identifyObject(undefined))
  })
})
