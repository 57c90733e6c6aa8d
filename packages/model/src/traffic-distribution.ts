import { Annotation, type Labels } from "./labels.ts"
import type { TrafficDistribution } from "./service.ts"

const ofSpec: Readonly<Record<string, TrafficDistribution>> = {
  PreferClose: "PreferSameZone",
  PreferSameZone: "PreferSameZone",
  PreferSameNode: "PreferSameNode"
}
const ofAnnotation: Readonly<Record<string, TrafficDistribution>> = {
  preferclose: "PreferSameZone",
  prefersamezone: "PreferSameZone",
  prefersamenode: "PreferSameNode"
}

/** The spec, then the service's annotation, then its namespace's (S-12). An unknown spelling in an annotation means Any. */
export const trafficDistributionOf = (
  spec: string,
  annotations: Labels,
  namespaceAnnotations: Labels
): TrafficDistribution => {
  const given = ofSpec[spec]
  if (given !== undefined) return given
  const annotation =
    annotations[Annotation.trafficDistribution] || namespaceAnnotations[Annotation.trafficDistribution] || ""
  return ofAnnotation[annotation.toLowerCase()] ?? "Any"
}
