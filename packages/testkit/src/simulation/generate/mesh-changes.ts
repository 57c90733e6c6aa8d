import type { MeshConfigValue } from "@istiod-lite/model"
import type { SeededRandom } from "../random.ts"

/** Mesh configurations that a history may switch between. */
export const someMesh = (random: SeededRandom): Partial<MeshConfigValue> => ({
  sendUnhealthyEndpoints: random.chance(0.5),
  addressMode: random.pick(["stable", "status", "istio-v1"]),
  defaultServiceExportTo: random.pick([["*"], ["."]]),
  networks: random.pick([
    {},
    {
      south: {
        endpoints: [{ fromCidr: "10.2.0.0/24" }],
        gateways: [{ address: "198.51.100.20", port: 15_443 }]
      },
      north: { endpoints: [{ fromRegistry: "Kubernetes" }], gateways: [] }
    }
  ]),
  ...someMultiCluster(random),
  serviceSettings: random.chance(0.3) ? [{ clusterLocal: true, hosts: ["*.shop.svc.cluster.local"] }] : []
})

/** Multi-Cluster Services, with any of their switches. */
export const someMultiCluster = (
  random: SeededRandom
): Pick<MeshConfigValue, "clusterSetHosts" | "exportedServicesOnly" | "ownClusterHosts"> => ({
  exportedServicesOnly: random.chance(0.5),
  clusterSetHosts: random.chance(0.8),
  ownClusterHosts: random.chance(0.3)
})
