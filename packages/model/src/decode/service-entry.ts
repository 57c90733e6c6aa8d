import type { ServiceEntry, ServiceEntryPort, ServiceEntryResolution } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { decodeExportTo } from "./selector.ts"
import { checkServiceEntry } from "./service-entry-check.ts"
import { decodeWorkloadSpec } from "./workload-spec.ts"

const resolutions: ReadonlyArray<ServiceEntryResolution> = [
  "NONE",
  "STATIC",
  "DNS",
  "DNS_ROUND_ROBIN",
  "DYNAMIC_DNS"
]

/** Defaults as protobuf has them: the first value of each enumeration (MESH_EXTERNAL, NONE). */
export const decodeServiceEntry = (root: Fields, meta: ObjectMeta): ServiceEntry => {
  const spec = root.at("spec")
  const location = spec.oneOf("location", ["MESH_EXTERNAL", "MESH_INTERNAL"], "MESH_EXTERNAL")
  // Undefined: written, but as nothing that there is. What other fields mean cannot be judged then.
  const resolution = spec.oneOf("resolution", resolutions, spec.raw("resolution") ? undefined : "NONE")
  const entry: ServiceEntry = {
    meta,
    hosts: spec.texts("hosts"),
    addresses: spec.texts("addresses"),
    ports: spec.list("ports").map(decodePort),
    meshExternal: location === "MESH_EXTERNAL",
    resolution: resolution ?? "NONE",
    endpoints: spec.list("endpoints").map(decodeWorkloadSpec),
    workloadSelector: spec.optional("workloadSelector")?.labels("labels"),
    exportTo: decodeExportTo(spec),
    subjectAltNames: spec.texts("subjectAltNames"),
    statusAddresses: root
      .at("status")
      .list("addresses")
      .map((it) => ({ host: it.text("host"), value: it.text("value") }))
  }
  checkServiceEntry(spec, { ...entry, resolution })
  return entry
}

const decodePort = (fields: Fields): ServiceEntryPort => ({
  number: fields.requiredPort("number"),
  name: fields.text("name"),
  protocol: fields.text("protocol"),
  targetPort: fields.integer("targetPort", { min: 0, max: portRange.max }, 0)
})
