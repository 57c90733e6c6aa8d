import { isIp } from "../addresses.ts"
import type { Node, OwnerReference, Pod } from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import type { Fields } from "./fields.ts"

const phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown"] as const

export const decodePod = (root: Fields, meta: ObjectMeta): Pod => {
  const metadata = root.at("metadata")
  const spec = root.at("spec")
  const status = root.at("status")
  return {
    meta,
    generateName: metadata.text("generateName"),
    controller: controllerOf(metadata),
    deleting: metadata.has("deletionTimestamp"),
    serviceAccount: spec.text("serviceAccountName") || "default",
    node: spec.text("nodeName"),
    hostname: spec.text("hostname"),
    subdomain: spec.text("subdomain"),
    hostNetwork: spec.flag("hostNetwork") ?? false,
    phase: status.oneOf("phase", phases, "Pending"),
    ready: hasCondition(status, "Ready"),
    ips: podIps(status),
    ports: podPorts(spec)
  }
}

/** Whether a status condition is there and true. */
export const hasCondition = (status: Fields, type: string): boolean =>
  status.list("conditions").some((it) => it.text("type") === type && it.text("status") === "True")

const controllerOf = (metadata: Fields): OwnerReference | undefined => {
  const owner = metadata.list("ownerReferences").find((it) => it.flag("controller") === true)
  return owner && { apiVersion: owner.text("apiVersion"), kind: owner.text("kind"), name: owner.text("name") }
}

/** podIPs lists podIP first; one of them alone is enough. */
const podIps = (status: Fields): ReadonlyArray<string> => {
  const ips = status.list("podIPs").map((it) => requireIp(it, "ip"))
  const ip = status.has("podIP") ? requireIp(status, "podIP") : ""
  return (ips.length > 0 ? ips : [ip]).filter((text) => text !== "")
}

/** An address that must be an IP; empty if absent. */
export const requireIp = (fields: Fields, name: string): string => {
  const text = fields.text(name)
  if (text !== "" && !isIp(text)) fields.fail(name, "expected an IP address", "write an IPv4 or IPv6 address")
  return text
}

/** Ports of the containers, then of init containers that keep running beside them (restartPolicy Always). */
const podPorts = (spec: Fields): Pod["ports"] => {
  const sidecars = spec.list("initContainers").filter((it) => it.text("restartPolicy") === "Always")
  return [...spec.list("containers"), ...sidecars].flatMap((container) =>
    container.list("ports").map((port) => ({
      name: port.text("name"),
      containerPort: port.requiredPort("containerPort"),
      protocol: port.text("protocol") || "TCP"
    }))
  )
}

export const decodeNode = (root: Fields, meta: ObjectMeta): Node => ({
  meta,
  addresses: root
    .at("status")
    .list("addresses")
    .map((it) => ({ type: it.text("type"), address: it.text("address") }))
})
