import type { VirtualService } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { decodeExportTo } from "./selector.ts"

type Destination = VirtualService["destinations"][number]

export const decodeVirtualService = (root: Fields, meta: ObjectMeta): VirtualService => {
  const spec = root.at("spec")
  const gateways = spec.texts("gateways")
  return {
    meta,
    hosts: spec.texts("hosts"),
    // Without gateways it is for sidecars, which is what the name `mesh` stands for.
    gateways: gateways.length === 0 ? ["mesh"] : gateways,
    exportTo: decodeExportTo(spec),
    destinations: decodeDestinations(spec)
  }
}

/** Where its routes and mirrors send to, each pair of host and port once. */
const decodeDestinations = (spec: Fields): ReadonlyArray<Destination> => {
  const http = spec
    .list("http")
    .flatMap((rule) => [...ofList(rule, "route"), ...ofOne(rule, "mirror"), ...ofList(rule, "mirrors")])
  const streams = [...spec.list("tcp"), ...spec.list("tls")].flatMap((rule) => ofList(rule, "route"))
  const distinct = new Map([...http, ...streams].map((it) => [`${it.host}:${it.port}`, it]))
  return [...distinct.values()]
}

const ofList = (rule: Fields, name: string): ReadonlyArray<Destination> =>
  rule.list(name).flatMap((it) => ofOne(it, "destination"))

const ofOne = (fields: Fields, name: string): ReadonlyArray<Destination> => {
  const destination = fields.optional(name)
  if (destination === undefined) return []
  const port = destination.at("port").integer("number", { min: 0, max: portRange.max }, 0)
  return [{ host: destination.requiredText("host", "name the host to send to"), port }]
}
