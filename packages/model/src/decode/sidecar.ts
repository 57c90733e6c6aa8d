import type { Sidecar, SidecarEgress } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { decodePolicySelector } from "./selector.ts"

export const decodeSidecar = (root: Fields, meta: ObjectMeta): Sidecar => {
  const spec = root.at("spec")
  return {
    meta,
    workloadSelector: decodePolicySelector(spec, "workloadSelector", "labels"),
    egress: spec.list("egress").map(decodeEgress)
  }
}

const decodeEgress = (fields: Fields): SidecarEgress => {
  const hosts = fields.texts("hosts")
  if (hosts.length === 0) fields.warn("hosts", "names no host", "write namespace/host, or */* for all")
  hosts.forEach((host, i) => {
    if (!host.includes("/"))
      fields.fail(`hosts[${i}]`, "expected namespace/host", "write ./host for the own namespace")
  })
  return { hosts, port: decodePort(fields.optional("port")) }
}

/** A listener's port; 0 is the port of a unix socket. */
export const decodePort = (
  fields: Fields | undefined
): { readonly number: number; readonly name: string; readonly protocol: string } | undefined =>
  fields && {
    number: fields.integer("number", { min: 0, max: portRange.max }, 0),
    name: fields.text("name"),
    protocol: fields.text("protocol")
  }
