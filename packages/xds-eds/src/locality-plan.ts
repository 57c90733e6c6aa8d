import {
  Label,
  type LocalityLbSetting,
  type Service,
  type TrafficDistribution,
  type TrafficPolicy
} from "@istiod-lite/model"

/** How traffic spreads over localities (S-67), decided but not yet applied to endpoints. */
export type LocalityPlan =
  /** by weight alone, wherever the endpoints are */
  | { readonly kind: "none" }
  /** in fixed shares per locality of the client */
  | { readonly kind: "distribute"; readonly rules: LocalityLbSetting["distribute"] }
  /** nearest first */
  | {
      readonly kind: "failover"
      /** `label` or `label=value`, most important first: endpoints that differ from the client later are tried earlier */
      readonly labels: ReadonlyArray<string>
      /** whether region, zone and subzone order what the labels leave equal */
      readonly byLocality: boolean
      /** the region that comes before others when the client's own has failed */
      readonly regions: LocalityLbSetting["failover"]
    }

const noPlan: LocalityPlan = { kind: "none" }

const sameZone = [Label.network, Label.region, Label.zone]

/** A service's trafficDistribution, as failover priorities. */
const preferences: Readonly<Record<TrafficDistribution, ReadonlyArray<string> | undefined>> = {
  Any: undefined,
  PreferSameZone: sameZone,
  PreferSameNode: [...sameZone, Label.subzone, Label.hostname]
}

/**
 * Which one setting counts: the rule's (switched off there = none), the service's trafficDistribution, the mesh's.
 * Failover needs outlier detection, or clients would never notice that the nearest has failed; trafficDistribution
 * does without, because it makes unhealthy endpoints known.
 *
 * @param policy what the DestinationRule says of this port and subset
 */
export const planLocalities = (
  policy: TrafficPolicy,
  service: Service,
  mesh: LocalityLbSetting | undefined
): LocalityPlan => {
  const ofRule = policy.localityLbSetting
  const preferred = preferences[service.trafficDistribution]
  if (ofRule === undefined && preferred !== undefined)
    return { kind: "failover", labels: preferred, byLocality: false, regions: [] }
  const setting = ofRule ?? mesh
  if (setting === undefined || !setting.enabled) return noPlan
  if (setting.distribute.length > 0) return { kind: "distribute", rules: setting.distribute }
  if (policy.outlierDetection === undefined) return noPlan
  const { failover: regions, failoverPriority: labels } = setting
  return { kind: "failover", labels, byLocality: labels.length === 0 || regions.length > 0, regions }
}
