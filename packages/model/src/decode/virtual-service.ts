import type { RouteDestination, VirtualService } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { decodeExportTo } from "./selector.ts"

type Delegate = NonNullable<VirtualService["delegates"]>[number]

export const decodeVirtualService = (root: Fields, meta: ObjectMeta): VirtualService => {
  const spec = root.at("spec")
  const gateways = spec.texts("gateways")
  const delegates = spec.list("http").flatMap((rule) => decodeDelegate(rule, meta.namespace))
  return {
    meta,
    hosts: spec.texts("hosts"),
    // Without gateways it is for sidecars, which is what the name `mesh` stands for.
    gateways: gateways.length === 0 ? ["mesh"] : gateways,
    exportTo: decodeExportTo(spec),
    destinations: decodeDestinations(spec),
    ...(delegates.length > 0 && { delegates })
  }
}

/** Where its routes and mirrors send to, each combination of host, port and source once. */
const decodeDestinations = (spec: Fields): ReadonlyArray<RouteDestination> => {
  const http = spec.list("http").flatMap((rule) => {
    const sources = sourcesOf(rule)
    return [...ofList(rule, "route"), ...ofOne(rule, "mirror"), ...ofList(rule, "mirrors")].map((it) => ({
      ...it,
      ...sources
    }))
  })
  const streams = [...spec.list("tcp"), ...spec.list("tls")].flatMap((rule) => ofList(rule, "route"))
  const distinct = new Map([...http, ...streams].map((it) => [JSON.stringify(it), it]))
  return [...distinct.values()]
}

/** A route with matches by source namespace is for those namespaces alone, even beside matches without one. */
const sourcesOf = (rule: Fields): { readonly sourceNamespaces?: ReadonlyArray<string> } => {
  const sources = rule
    .list("match")
    .map((match) => match.text("sourceNamespace"))
    .filter((source) => source !== "")
  return sources.length === 0 ? {} : { sourceNamespaces: sources }
}

const decodeDelegate = (rule: Fields, ownNamespace: string): ReadonlyArray<Delegate> => {
  const delegate = rule.optional("delegate")
  if (delegate === undefined) return []
  const name = delegate.requiredText("name", "name the VirtualService to take routes from")
  return [{ namespace: delegate.text("namespace") || ownNamespace, name, ...sourcesOf(rule) }]
}

const ofList = (rule: Fields, name: string): ReadonlyArray<RouteDestination> =>
  rule.list(name).flatMap((it) => ofOne(it, "destination"))

const ofOne = (fields: Fields, name: string): ReadonlyArray<RouteDestination> => {
  const destination = fields.optional(name)
  if (destination === undefined) return []
  const port = destination.at("port").integer("number", { min: 0, max: portRange.max }, 0)
  return [{ host: destination.requiredText("host", "name the host to send to"), port }]
}
