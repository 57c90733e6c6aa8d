import { assert, describe, it } from "@effect/vitest"
import { parseClusterName } from "@istiod-lite/mesh-policy"
import { Label, type ObjectSource } from "@istiod-lite/model"
import { layerControlPlane, MemorySource } from "@istiod-lite/testkit"
import { Context, Effect, Layer } from "effect"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import type { InputChanges } from "../compose/inputs.ts"
import { controlPlane } from "../compose/plugins.ts"
import { auditedStream } from "../testing/audited-streams.ts"
import { istioObject, pod, service, serviceEntry, slice, workloadEntry } from "../testing/manifests.ts"
import { shopSource } from "../testing/shop-source.ts"
import { neededInputs } from "./needed-inputs.ts"
import { freshGenerator, makeRunning } from "./rebuild.ts"
import { findSuspects } from "./suspects.ts"

const home = "Kubernetes"

/** `Pod cart-1`, in the order of the text */
const named = ({ objects }: InputChanges): ReadonlyArray<string> =>
  objects
    .flatMap((change) =>
      change.change === "put"
        ? [`${change.cluster} ${change.typed.kind} ${change.typed.object.meta.name}`]
        : []
    )
    .toSorted()

const running = Effect.gen(function* () {
  const made = yield* makeRunning(controlPlane())
  assert.isDefined(made)
  return made
})

describe("neededInputs", () => {
  it.effect("takes what belongs to the hosts, entrances of networks, the proxies, and policies", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(layerControlPlane({ clusters: ["east"] }))
      const source = Context.get(services, MemorySource)
      for (const object of [
        service("cart"),
        slice("cart", "10.20.0.1"),
        pod("cart-1", "10.20.0.1"),
        service("other"),
        slice("other", "10.20.0.2"),
        pod("other-1", "10.20.0.2"),
        pod("web-1", "10.20.0.3"),
        pod("erp-1", "10.20.0.4"),
        serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } }),
        serviceEntry("crm", "crm.example", { workloadSelector: { labels: { app: "other" } } }),
        workloadEntry("machine", { address: "192.0.2.1", labels: { app: "erp" } }),
        workloadEntry("far", { address: "192.0.2.2" }, { namespace: "bank" }),
        istioObject("DestinationRule", "rule", { host: "cart" })
      ])
        source.apply(home, object)
      for (const object of [
        service("entrance", {}, { labels: { [Label.network]: "n2" } }),
        slice("cart", "10.30.0.1", { targetRef: undefined }),
        service("cart"),
        pod("cart-7", "10.30.0.1"),
        pod("other-1", "10.30.0.2")
      ])
        source.apply("east", object)
      const { inputs } = yield* Effect.provide(running, services)
      const needed = neededInputs(inputs, {
        hosts: new Set(["cart.shop.svc.cluster.local", "erp.example"]),
        proxies: [{ name: "web-1", namespace: "shop" }]
      })
      assert.deepEqual(needed.clusters.map(([id]) => id).toSorted(), [home, "east"])
      assert.deepEqual(named(needed), [
        "Kubernetes DestinationRule rule",
        "Kubernetes EndpointSlice cart-1",
        "Kubernetes Pod cart-1",
        "Kubernetes Pod erp-1",
        "Kubernetes Pod web-1",
        "Kubernetes Service cart",
        "Kubernetes ServiceEntry erp",
        "Kubernetes WorkloadEntry machine",
        "east EndpointSlice cart-1",
        "east Pod cart-7",
        "east Service cart",
        "east Service entrance"
      ])
    })
  )

  it.effect("takes a service for its host of the cluster set, and who imports it", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(layerControlPlane({ clusters: ["east"] }))
      const source = Context.get(services, MemorySource)
      const multiCluster = {
        apiVersion: "multicluster.x-k8s.io/v1alpha1",
        metadata: { name: "cart", namespace: "shop" }
      }
      source.apply(home, service("cart"))
      source.apply(home, service("other"))
      source.apply(home, { ...multiCluster, kind: "ServiceExport" })
      source.apply("east", { ...multiCluster, kind: "ServiceImport", spec: { ips: ["10.112.0.1"] } })
      const { inputs } = yield* Effect.provide(running, services)
      const hosts = new Set(["cart.shop.svc.clusterset.local"])
      assert.deepEqual(named(neededInputs(inputs, { hosts, proxies: [] })), [
        "Kubernetes Service cart",
        "Kubernetes ServiceExport cart",
        "east ServiceImport cart"
      ])
    })
  )

  it.effect("is enough for every assignment of the example mesh, one at a time", () =>
    Effect.gen(function* () {
      const made = yield* running
      const generator = yield* freshGenerator(made, made.context)
      const names = namesOf(made.inputs.source)
      assert.isAbove(names.length, 10)
      for (const name of names) {
        assert.isDefined(parseClusterName(name))
        const stream = auditedStream("cart-1.shop", [name], generator)
        const found = yield* Effect.scoped(findSuspects(made, [name], () => [stream.info()]))
        assert.deepEqual({ name, ...found }, { name, checked: 1, suspects: [] })
      }
    }).pipe(Effect.provide(layerDiscovery(controlPlane(), shopSource)))
  )
})

/** A cluster for each port of each host that the objects declare. */
const namesOf = ({ clusters, config }: ObjectSource["Service"]): ReadonlyArray<string> => [
  ...[...clusters.values()].flatMap(({ objects }) =>
    [...objects.Service.values()].flatMap(({ meta, ports }) =>
      ports.map(({ port }) => `outbound|${port}||${meta.name}.${meta.namespace}.svc.cluster.local`)
    )
  ),
  ...[...config.ServiceEntry.values()].flatMap(({ hosts, ports }) =>
    hosts.flatMap((host) => ports.map(({ number }) => `outbound|${number}||${host}`))
  )
]
