import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, type MeshConfigValue } from "@istiod-lite/model"
import { isClusterLocal } from "./cluster-local.ts"

const mesh = (...settings: ReadonlyArray<readonly [clusterLocal: boolean, ...hosts: Array<string>]>) =>
  ({
    ...defaultMeshConfig,
    serviceSettings: settings.map(([clusterLocal, ...hosts]) => ({ clusterLocal, hosts }))
  }) satisfies MeshConfigValue

const dns = "kube-dns.kube-system.svc.cluster.local"

describe("isClusterLocal", () => {
  it("holds for kube-system, the API server and the control plane by default", () => {
    for (const host of [dns, "kubernetes.default.svc.cluster.local", defaultMeshConfig.discoveryHost]) {
      assert.isTrue(isClusterLocal(defaultMeshConfig, host), host)
    }
    assert.isFalse(isClusterLocal(defaultMeshConfig, "reviews.shop.svc.cluster.local"))
  })

  it("completes a discovery host without the domain suffix", () => {
    const short = { ...defaultMeshConfig, discoveryHost: "istiod.istio-system.svc" }
    assert.isTrue(isClusterLocal(short, "istiod.istio-system.svc.cluster.local"))
  })

  it("follows the settings, an exact host before a wildcard, a later one before an earlier", () => {
    const settings = mesh(
      [true, "*.shop.svc.cluster.local"],
      [false, "reviews.shop.svc.cluster.local"],
      [true, "*"],
      [false, "*.svc.cluster.local"]
    )
    assert.isTrue(isClusterLocal(settings, "cart.shop.svc.cluster.local"))
    assert.isFalse(isClusterLocal(settings, "reviews.shop.svc.cluster.local"))
    assert.isFalse(isClusterLocal(settings, "a.other.svc.cluster.local"))
    assert.isTrue(isClusterLocal(settings, "api.example.com"))
  })

  it("drops a whole default when a setting frees one host of it", () => {
    const settings = mesh([false, "metrics.kube-system.svc.cluster.local"])
    assert.isFalse(isClusterLocal(settings, "metrics.kube-system.svc.cluster.local"))
    assert.isFalse(isClusterLocal(settings, dns))
  })

  it("keeps a default that a wider setting covers without naming it", () => {
    assert.isTrue(isClusterLocal(mesh([false, "*.svc.cluster.local"]), dns))
  })
})
