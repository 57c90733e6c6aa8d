import type { RouteDestination, VirtualService } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { decodeExportTo } from "./selector.ts"

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

/** Where its routes and mirrors send to, each distinct one once. */
const decodeDestinations = (spec: Fields): ReadonlyArray<RouteDestination> => {
  const http = spec.list("http").flatMap((rule) => {
    const limits = sourceNamespaces(rule)
    const all = [...ofList(rule, "route"), ...ofOne(rule, "mirror"), ...ofList(rule, "mirrors")]
    return all.map((destination) => ({ ...destination, ...limits }))
  })
  const streams = [...spec.list("tcp"), ...spec.list("tls")].flatMap((rule) => ofList(rule, "route"))
  return [...new Map([...http, ...streams].map((it) => [JSON.stringify(it), it])).values()]
}

/** Namespaces of the clients that an HTTP route is for, if any of its matches names one (istio pilot/pkg/model/push_context.go). */
const sourceNamespaces = (rule: Fields): Pick<RouteDestination, "sourceNamespaces"> => {
  const namespaces = rule.list("match").map((match) => match.text("sourceNamespace"))
  const named = [...new Set(namespaces)].filter((namespace) => namespace !== "")
  return named.length === 0 ? {} : { sourceNamespaces: named }
}

const ofList = (rule: Fields, name: string): ReadonlyArray<RouteDestination> =>
  rule.list(name).flatMap((it) => ofOne(it, "destination"))

const ofOne = (fields: Fields, name: string): ReadonlyArray<RouteDestination> => {
  const destination = fields.optional(name)
  if (destination === undefined) return []
  const port = destination.at("port").integer("number", { min: 0, max: portRange.max }, 0)
  return [{ host: destination.requiredText("host", "name the host to send to"), port }]
}

type Delegate = NonNullable<VirtualService["delegates"]>[number]

const decodeDelegate = (rule: Fields, namespace: string): ReadonlyArray<Delegate> => {
  const delegate = rule.optional("delegate")
  if (delegate === undefined) return []
  const name = delegate.requiredText("name", "name the VirtualService that the routes are in")
  return [{ name, namespace: delegate.text("namespace") || namespace, ...sourceNamespaces(rule) }]
}
