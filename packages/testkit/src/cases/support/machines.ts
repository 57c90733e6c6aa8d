import { parseProxy, type RawObject } from "@istiod-lite/model"
import { group, Replicas } from "@istiod-lite/workload-registration/testing"
import { ClusterLoadAssignment, endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { makeControlPlane } from "../../control-plane.ts"
import { routable } from "./received.ts"

/** A host whose endpoints are the machines labelled `app: billing`. */
const billing: RawObject = {
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name: "billing", namespace: "shop", creationTimestamp: "2026-01-06T08:00:00Z" },
  spec: {
    hosts: ["billing.shop.internal"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ name: "http", number: 80, protocol: "HTTP" }],
    workloadSelector: { labels: { app: "billing" } }
  }
}

const web = parseProxy({
  id: "sidecar~198.51.100.190~web-7c9d-x2x.shop~shop.svc.cluster.local",
  metadata: { CLUSTER_ID: "Kubernetes" },
  locality: { region: "region1", zone: "zone-a" }
})

/**
 * Replicas that register machines at an API server in memory, and what a client of theirs is told. The groups are of
 * service account `billing-vm`; the grace period is 10 seconds.
 */
export const shopOfMachines = Effect.fnUntraced(function* (...objects: ReadonlyArray<RawObject>) {
  const replicas = yield* Replicas.make()
  for (const object of [billing, ...objects]) replicas.memory.put(object)
  const plane = yield* makeControlPlane()
  replicas.watchWith(plane.source.store)
  const assignment = () => plane.resources(endpointTypeUrl, ["outbound|80||billing.shop.internal"], web)[0]
  return {
    replicas,
    start: (identity: string): ReturnType<Replicas["start"]> => replicas.start(identity),
    /** of the billing service, as a sidecar in namespace shop is told: `address:port` */
    endpoints: () => routable(assignment()),
    /** their localities, `region/zone/subzone` */
    localities: () =>
      ClusterLoadAssignment.decode(assignment()?.bytes ?? new Uint8Array()).endpoints.map(({ locality }) =>
        [locality?.region, locality?.zone, locality?.subZone].join("/")
      )
  }
})

export { group }
