import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig } from "@istiod-lite/model"
import { service, serviceImport } from "@istiod-lite/model/testing"
import {
  clusterSetService,
  discoverabilityOf,
  type ImportedService,
  importedService,
  isImportedAtHome
} from "./cluster-set.ts"

const imported = (
  cluster: string,
  ...[first = "10.112.0.1", ...more]: ReadonlyArray<string>
): ImportedService => ({
  cluster,
  isConfigCluster: cluster === "home",
  key: "shop/reviews",
  ips: [first, ...more]
})

describe("importedService", () => {
  const home = { cluster: "home", isConfigCluster: true }

  it("names the Service and its addresses", () =>
    assert.deepEqual(importedService(serviceImport(), home), imported("home")))

  it("is none without an address", () =>
    assert.isUndefined(importedService(serviceImport({ ips: [] }), home)))
})

describe("clusterSetService", () => {
  it("is the Service at the addresses of all imports; the configuration cluster's come first", () => {
    const made = clusterSetService(
      service({ cluster: "east", serviceAccounts: ["spiffe://a/ns/shop/sa/b"] }),
      [
        imported("east", "10.112.1.1"),
        imported("home", "10.112.0.1", "fd00::1"),
        imported("west", "10.112.2.1")
      ]
    )
    assert.strictEqual(made?.hostname, "reviews.shop.svc.clusterset.local")
    assert.strictEqual(made?.defaultAddress, "10.112.0.1")
    assert.deepEqual(made?.serviceAccounts, ["spiffe://a/ns/shop/sa/b"])
    assert.deepEqual(made?.clusterVips, {
      home: ["10.112.0.1", "fd00::1"],
      east: ["10.112.1.1"],
      west: ["10.112.2.1"]
    })
  })

  it("is none that nobody imports", () => assert.isUndefined(clusterSetService(service(), [])))
})

describe("discoverabilityOf", () => {
  const mesh = { ...defaultMeshConfig, exportedServicesOnly: true, clusterSetHosts: true }
  const home = service({ cluster: "home" })

  it("keeps a cluster's endpoints at home while it does not import the Service itself, exported or not", () => {
    const elsewhere = clusterSetService(home, [imported("east")])!
    const here = clusterSetService(home, [imported("east"), imported("home")])!
    assert.deepEqual([elsewhere, here].map(isImportedAtHome), [false, true])
    assert.deepEqual(
      [elsewhere, here].map((of) => discoverabilityOf(of, mesh, true)),
      ["DiscoverableFromSameCluster", "AlwaysDiscoverable"]
    )
  })

  it("opens own hosts of exported Services, unless they are for their cluster, which needs hosts of the set", () => {
    const closed = { ...mesh, ownClusterHosts: true }
    assert.deepEqual(
      [mesh, closed, { ...closed, clusterSetHosts: false }].map((of) => discoverabilityOf(home, of, true)),
      ["AlwaysDiscoverable", "DiscoverableFromSameCluster", "AlwaysDiscoverable"]
    )
  })
})
