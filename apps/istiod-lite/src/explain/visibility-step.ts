import type { ProxyView, Visibility } from "@istiod-lite/mesh-policy"
import type { Service } from "@istiod-lite/model"
import { Match } from "effect"
import { drop, pass, type Step } from "./explanation.ts"
import { declaringObject } from "./object-names.ts"

/** Whether a client may call the service at all (S-46). */
export const visibilityStep = (visibility: Visibility, service: Service, { scope }: ProxyView): Step => {
  const { namespace } = scope
  const object = declaringObject(service)
  return Match.valueTags(visibility, {
    Visible: () => pass("visibility", `namespace ${namespace} sees the service`),
    NotExported: ({ audience }) =>
      drop(
        "visibility",
        "S-46",
        `${object} is exported to ${audience.join(", ") || "nobody"}, not to namespace ${namespace}`,
        `add ${namespace} to ${exportField(service)}`
      ),
    OtherNamespace: ({ winner }) =>
      drop(
        "visibility",
        "S-46",
        `for namespace ${namespace} the host ${service.hostname} is ${declaringObject(winner)}, not ${object}`,
        winner.namespace === namespace
          ? `give one of the two another host; a namespace's own definition always wins there`
          : `give one of the two another host, or take ${namespace} out of ${exportField(winner)}`
      ),
    NotImported: ({ sidecar }) =>
      sidecar === ""
        ? drop(
            "visibility",
            "S-46",
            `namespace ${namespace} does not see ${object}`,
            `look at ${exportField(service)}`
          )
        : drop(
            "visibility",
            "S-46",
            `Sidecar ${sidecar} does not import ${service.hostname}`,
            `add "${service.namespace}/${service.hostname}" to spec.egress[].hosts of Sidecar ${sidecar}`
          )
  })
}

/** A Sidecar's listener may import some ports only, and not every later definition of a host adds its ports (S-47). */
export const missingPortStep = (seen: Service, { scope }: ProxyView): Step => {
  const sidecar = scope.key.slice(scope.key.indexOf("|") + 1)
  const ports = seen.ports.map(({ number }) => number).join(", ")
  const text = `of ${seen.hostname} namespace ${scope.namespace} sees only port ${ports}`
  return sidecar === ""
    ? drop(
        "visibility",
        "S-47",
        `${text}, because a later definition of the host differs in more than ports`,
        `give the definitions in namespace ${seen.namespace} the same resolution, labels, workloadSelector and exportTo`
      )
    : drop(
        "visibility",
        "S-46",
        text,
        `add the port to spec.egress[].port of Sidecar ${sidecar}, or leave it out there`
      )
}

const exportField = (service: Service): string =>
  service.exportTo.length === 0
    ? "defaultServiceExportTo of the mesh configuration"
    : service.provider === "Kubernetes"
      ? `annotation networking.istio.io/exportTo of ${declaringObject(service)}`
      : `spec.exportTo of ${declaringObject(service)}`
