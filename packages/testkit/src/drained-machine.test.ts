import { assert, describe, it } from "@effect/vitest"
import { parseProxy } from "@istiod-lite/model"
import { ClusterLoadAssignment, endpointTypeUrl, HealthStatus } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { makeControlPlane } from "./control-plane.ts"

const hosts = ["billing.shop.internal", "sticky.shop.internal", "billing.shop.svc.cluster.local"] as const
const web = parseProxy({
  id: "sidecar~198.51.100.190~web.shop~shop.svc.cluster.local",
  metadata: { CLUSTER_ID: "Kubernetes" }
})
const meta = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  name,
  namespace: "shop",
  labels,
  creationTimestamp: "2026-01-06T08:00:00Z"
})
const machine = (labels: Readonly<Record<string, string>>) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: meta("billing-1", labels),
  spec: { address: "192.0.2.101", labels: { app: "billing" } }
})
const serviceEntry = (host: string, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: meta(host, labels),
  spec: {
    hosts: [host],
    resolution: "STATIC",
    location: "MESH_INTERNAL",
    ports: [{ name: "http", number: 80, protocol: "HTTP" }],
    workloadSelector: { labels: { app: "billing" } }
  }
})
const kubeService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: meta("billing"),
  spec: { clusterIP: "10.96.0.9", selector: { app: "billing" }, ports: [{ name: "http", port: 80 }] }
}

describe("a machine with label istio.io/draining", () => {
  it.effect(
    "gets no new traffic, of whatever service; sessions that persist go on; and is back without it",
    () =>
      Effect.gen(function* () {
        const plane = yield* makeControlPlane()
        const apply = (object: object): void => plane.source.apply("Kubernetes", object)
        const told = () =>
          hosts.map((host) => {
            const [found] = plane.resources(endpointTypeUrl, [`outbound|80||${host}`], web)
            const { endpoints } = ClusterLoadAssignment.decode(found?.bytes ?? new Uint8Array())
            return endpoints.flatMap(({ lbEndpoints }) => lbEndpoints.map(({ healthStatus }) => healthStatus))
          })
        const persistent = { "istio.io/persistent-session": "session" }
        const all = [serviceEntry(hosts[0]), serviceEntry(hosts[1], persistent), kubeService, machine({})]
        all.forEach(apply)
        const inTraffic = hosts.map(() => [HealthStatus.UNKNOWN])
        assert.deepStrictEqual(told(), inTraffic)
        apply(machine({ "istio.io/draining": "true" }))
        assert.deepStrictEqual(told(), [[], [HealthStatus.DRAINING], []])
        apply(machine({}))
        assert.deepStrictEqual(told(), inTraffic)
      })
  )
})
