import { isIpv4, isIpv6 } from "../addresses.ts"
import type { EndpointSlice, SliceEndpoint } from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"

const families = ["IPv4", "IPv6", "FQDN"] as const
type Family = (typeof families)[number]

export const decodeEndpointSlice = (root: Fields, meta: ObjectMeta): EndpointSlice => {
  if (!root.has("addressType")) root.fail("addressType", "is required", "write IPv4, IPv6 or FQDN")
  const addressType = root.oneOf("addressType", families, "IPv4")
  return {
    meta,
    addressType,
    ports: root.list("ports").map((port) => ({
      name: port.text("name"),
      // A port without a number is legal Kubernetes ("all ports"); Istio reads it as 0.
      port: port.integer("port", { min: 0, max: portRange.max }, 0),
      protocol: port.text("protocol") || "TCP"
    })),
    endpoints: root.list("endpoints").map((endpoint) => decodeEndpoint(endpoint, addressType, meta.namespace))
  }
}

const decodeEndpoint = (fields: Fields, family: Family, namespace: string): SliceEndpoint => {
  const conditions = fields.at("conditions")
  const target = fields.optional("targetRef")
  return {
    addresses: decodeAddresses(fields, family),
    ready: conditions.flag("ready"),
    serving: conditions.flag("serving"),
    terminating: conditions.flag("terminating"),
    targetRef: target && {
      kind: target.text("kind"),
      namespace: target.text("namespace") || namespace,
      name: target.text("name"),
      uid: target.text("uid")
    },
    node: fields.text("nodeName")
  }
}

const decodeAddresses = (fields: Fields, family: Family): ReadonlyArray<string> => {
  const addresses = fields.texts("addresses")
  const isValid = family === "IPv4" ? isIpv4 : family === "IPv6" ? isIpv6 : () => true
  addresses.forEach((address, i) => {
    if (!isValid(address)) {
      fields.fail(
        `addresses[${i}]`,
        `expected an ${family} address`,
        "correct it, or the slice's addressType"
      )
    }
  })
  return addresses
}
