import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  type IpMode,
  ipModeOf,
  type MeshConfigValue,
  type Proxy,
  type Service
} from "@istiod-lite/model"
import { entryService, proxy, service } from "@istiod-lite/model/testing"
import { addressesFor } from "./service-addresses.ts"

const v4 = ["10.20.9.9"]
const v6 = ["fd00::9"]
const vips = service({
  clusterVips: { Kubernetes: ["10.96.0.1", "fd00:96::1"], remote: ["10.97.0.1"] },
  defaultAddress: "10.96.0.1"
})
const automatic = entryService({ autoAllocatedIpv4: "240.240.0.1", autoAllocatedIpv6: "2001:2::1" })

const addresses = (of: Service, fields: Partial<Proxy> = {}, mesh: Partial<MeshConfigValue> = {}) => {
  const client = proxy(fields)
  return addressesFor(of, client, ipModeOf(client.ips), { ...defaultMeshConfig, ...mesh })
}

describe("addressesFor", () => {
  it("gives the VIPs of the proxy's cluster and family", () => {
    assert.deepEqual(addresses(vips), ["10.96.0.1"])
    assert.deepEqual(addresses(vips, { ips: v6 }), ["fd00:96::1"])
    assert.deepEqual(addresses(vips, { cluster: "remote" }), ["10.97.0.1"])
  })

  it("gives a proxy of both families the first one's, or all with dual stack on", () => {
    const both = { ips: [...v4, ...v6] }
    assert.deepEqual(addresses(vips, both), ["10.96.0.1"])
    assert.deepEqual(addresses(vips, both, { dualStack: true }), ["10.96.0.1", "fd00:96::1"])
  })

  it("falls back to another cluster's address, if the proxy speaks its family", () => {
    assert.deepEqual(addresses(vips, { cluster: "third" }), ["10.96.0.1"])
    assert.deepEqual(addresses(vips, { cluster: "" }), ["10.96.0.1"])
    assert.deepEqual(addresses(vips, { cluster: "third", ips: v6 }), [])
  })

  it("keeps a ServiceEntry's address whatever its family", () => {
    assert.deepEqual(addresses(entryService({ defaultAddress: "172.16.0.0/16" }), { ips: v6 }), [
      "172.16.0.0/16"
    ])
  })

  it("gives automatic addresses to proxies that capture DNS", () => {
    assert.deepEqual(addresses(automatic), ["0.0.0.0"])
    assert.deepEqual(addresses(automatic, { dnsCapture: true }), ["240.240.0.1"])
    assert.deepEqual(addresses(automatic, { dnsCapture: true, ips: v6 }), ["2001:2::1"])
  })

  it("asks for DNS_AUTO_ALLOCATE too where addresses are istiod's own", () => {
    const v1 = { addressMode: "istio-v1" } as const
    assert.deepEqual(addresses(automatic, { dnsCapture: true }, v1), ["0.0.0.0"])
    assert.deepEqual(addresses(automatic, { dnsCapture: true, dnsAutoAllocate: true }, v1), ["240.240.0.1"])
  })

  it("has an address of no family for nobody", () => {
    const odd = service({ clusterVips: { Kubernetes: ["None"] }, defaultAddress: "" })
    for (const ips of [v4, v6, [...v4, ...v6]]) {
      const mode: IpMode = ipModeOf(ips)
      assert.deepEqual(addresses(odd, { ips }), [], mode)
    }
  })
})
