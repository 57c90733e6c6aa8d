import { endpointsJson, type Json, servicesJson } from "@istiod-lite/registry-aggregate"
import { decodeObject, defaultMeshConfig } from "@istiod-lite/model"
import type { DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { type InputChanges, noInputChanges, readInputs, typedObject } from "../compose/inputs.ts"

/** The start of a mesh: one cluster, nothing in it. */
export const emptyMesh: InputChanges = {
  ...noInputChanges,
  clusters: [["Kubernetes", true]],
  mesh: defaultMeshConfig
}

/** A machine of the ERP. */
export const machine = (name: string, address: string, cluster = "Kubernetes"): InputChanges =>
  put(cluster, {
    apiVersion: "networking.istio.io/v1",
    kind: "WorkloadEntry",
    metadata: { name, namespace: "legacy" },
    spec: { address, labels: { app: "erp" }, serviceAccount: "erp" }
  })

/** The ERP. */
export const erp = (): InputChanges =>
  put("Kubernetes", {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name: "erp", namespace: "legacy" },
    spec: {
      hosts: ["erp.example.internal"],
      resolution: "STATIC",
      location: "MESH_INTERNAL",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      workloadSelector: { labels: { app: "erp" } }
    }
  })

/** Applies an object as manifests have it; throws if it has faults. */
export const put = (cluster: string, raw: unknown): InputChanges => {
  const decoded = decodeObject(raw)
  if (decoded.outcome !== "object") throw new Error(JSON.stringify(decoded.faults))
  const { kind, object } = decoded
  return {
    ...noInputChanges,
    objects: [{ cluster, change: "put", typed: typedObject(kind, object) }]
  }
}

/** All that is known, inputs and what is derived from them. */
export const stateOf = ({ discovery, inputs }: DetachedControlPlane): string => {
  const { clusters, gatewayAddresses, mesh, objects, statuses } = readInputs(inputs)
  const derived: Json = [
    servicesJson(discovery.services.values()),
    endpointsJson(discovery.endpoints.values())
  ]
  const sorted = [...clusters, ...objects, ...statuses, ...gatewayAddresses]
    .map((it) => JSON.stringify(it))
    .toSorted()
  return JSON.stringify([sorted, mesh, derived], undefined, 1)
}
