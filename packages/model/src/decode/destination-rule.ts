import type { DestinationRule, Subset, TrafficPolicy } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import type { Fields } from "./fields.ts"
import { decodeLocalityLbSetting } from "./locality-lb-setting.ts"
import { decodeExportTo, decodePolicySelector } from "./selector.ts"

const tlsModes = ["DISABLE", "SIMPLE", "MUTUAL", "ISTIO_MUTUAL"] as const

export const decodeDestinationRule = (root: Fields, meta: ObjectMeta): DestinationRule => {
  const spec = root.at("spec")
  return {
    meta,
    host: spec.requiredText("host", "name the host that the rule is for"),
    exportTo: decodeExportTo(spec),
    workloadSelector: decodePolicySelector(spec, "workloadSelector", "matchLabels"),
    trafficPolicy: decodeTrafficPolicy(spec.optional("trafficPolicy")),
    subsets: decodeSubsets(spec)
  }
}

const decodeSubsets = (spec: Fields): ReadonlyArray<Subset> => {
  const names = new Set<string>()
  return spec.list("subsets").map((fields) => {
    const name = fields.requiredText("name", "name the subset")
    if (names.has(name)) fields.fail("name", "duplicate subset name", "name each subset once")
    names.add(name)
    return {
      name,
      labels: fields.labels("labels"),
      trafficPolicy: decodeTrafficPolicy(fields.optional("trafficPolicy"))
    }
  })
}

const decodeTrafficPolicy = (fields: Fields | undefined): TrafficPolicy | undefined =>
  fields && {
    ...decodePolicy(fields),
    // The policy of a port has no ports of its own.
    portLevelSettings: fields.list("portLevelSettings").map((it) => ({
      port: it.at("port").requiredPort("number"),
      policy: { ...decodePolicy(it), portLevelSettings: [] }
    }))
  }

const decodePolicy = (fields: Fields): Omit<TrafficPolicy, "portLevelSettings"> => {
  const outlier = fields.optional("outlierDetection")
  const balancer = fields.at("loadBalancer")
  const locality = balancer.optional("localityLbSetting")
  return {
    // A tls block without a mode is DISABLE, the first value of its enumeration.
    tlsMode: fields.optional("tls")?.oneOf("mode", tlsModes, "DISABLE"),
    outlierDetection: outlier && {
      minHealthPercent: outlier.integer("minHealthPercent", { min: 0, max: 100 }, 0)
    },
    localityLbSetting: locality && decodeLocalityLbSetting(locality),
    hasLoadBalancer: fields.has("loadBalancer"),
    ...(fields.at("loadBalancer").raw("simple") === "PASSTHROUGH" && { passthrough: true })
  }
}
