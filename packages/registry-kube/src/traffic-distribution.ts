import { Annotation, type KubeService, type Labels, type TrafficDistribution } from "@istiod-lite/model"

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
  service: KubeService,
  namespaceAnnotations: Labels
): TrafficDistribution => {
  const spec = ofSpec[service.trafficDistribution]
  if (spec !== undefined) return spec
  const annotation =
    service.meta.annotations[Annotation.trafficDistribution] ||
    namespaceAnnotations[Annotation.trafficDistribution] ||
    ""
  return ofAnnotation[annotation.toLowerCase()] ?? "Any"
}
