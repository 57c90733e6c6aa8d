import { isIpv4, isIpv6 } from "../addresses.ts"
import type { EndpointSlice, SliceEndpoint } from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { type Fields, isJson, type Json, portRange } from "./fields.ts"

const families = ["IPv4", "IPv6", "FQDN"] as const
type Family = (typeof families)[number]

/** @param before the slice as it was: endpoints of which the same is said again stay the values they are there */
export const decodeEndpointSlice = (
  root: Fields,
  meta: ObjectMeta,
  before?: EndpointSlice
): EndpointSlice => {
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
    endpoints: root.decodeList(
      "endpoints",
      (endpoint) => decodeEndpoint(endpoint, addressType, meta.namespace),
      before?.addressType === addressType ? knownIn(before) : () => undefined
    )
  }
}

/** How many endpoints may have gone from one place before those behind it are decoded again. */
const reach = 8

/** Finds endpoints of a slice by what is said of them; asked in the order of the list, in which those that stay follow each other. */
const knownIn = ({ endpoints, meta }: EndpointSlice): ((said: Json) => SliceEndpoint | undefined) => {
  let next = 0
  return (said) => {
    const end = Math.min(next + reach, endpoints.length)
    for (let i = next; i < end; i++) {
      const known = endpoints[i]
      if (known === undefined || !isSaidOf(known, said, meta.namespace)) continue
      next = i + 1
      return known
    }
    return undefined
  }
}

/** Whether decoding would give an equal endpoint, and find no fault. */
const isSaidOf = (known: SliceEndpoint, said: Json, namespace: string): boolean => {
  const { addresses, conditions, nodeName, targetRef } = said
  return (
    Array.isArray(addresses) &&
    addresses.length === known.addresses.length &&
    known.addresses.every((address, i) => addresses[i] === address) &&
    (nodeName ?? "") === known.node &&
    areSaidOf(known, conditions ?? noFields) &&
    isTargetOf(known, targetRef ?? undefined, namespace)
  )
}

const noFields: Json = {}

const areSaidOf = ({ ready, serving, terminating }: SliceEndpoint, conditions: unknown): boolean =>
  isJson(conditions) &&
  (conditions.ready ?? undefined) === ready &&
  (conditions.serving ?? undefined) === serving &&
  (conditions.terminating ?? undefined) === terminating

const isTargetOf = ({ targetRef }: SliceEndpoint, said: unknown, namespace: string): boolean => {
  if (targetRef === undefined || !isJson(said)) return targetRef === said
  return (
    (said.kind ?? "") === targetRef.kind &&
    (said.name ?? "") === targetRef.name &&
    (said.uid ?? "") === targetRef.uid &&
    (said.namespace || namespace) === targetRef.namespace
  )
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
