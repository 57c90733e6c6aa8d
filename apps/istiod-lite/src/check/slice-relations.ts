import { Label, similarName } from "@istiod-lite/model"
import { ignoredSlice, serviceNameOfSlice } from "@istiod-lite/registry-kube"
import type { ManifestFault } from "@istiod-lite/source-files"
import type { CheckedRun, Placed } from "./checked-run.ts"
import { finding } from "./finding.ts"

type Slice = Placed<"EndpointSlice">
type Service = Placed<"Service">

/** Slices and what they name: their Service, its ports, and pods (S-13). */
export const sliceRelations = (run: CheckedRun): ReadonlyArray<ManifestFault> =>
  run.all("EndpointSlice").flatMap((slice) => {
    if (ignoredSlice(slice.object) === "NoServiceName") return [noServiceName(slice)]
    const name = serviceNameOfSlice(slice.object)
    if (name === undefined) return []
    const service = run.find("Service", slice.object.meta.namespace, name)
    const toService = service === undefined ? noService(run, slice, name) : unknownPorts(slice, service)
    return [...toService, ...missingPods(run, slice)]
  })

const noServiceName = (slice: Slice): ManifestFault =>
  finding(slice, {
    path: "metadata.labels",
    reason: `it belongs to no Service without a label ${Label.serviceName}`,
    remedy: "set the label to the name of its Service"
  })

const noService = (run: CheckedRun, slice: Slice, name: string): ReadonlyArray<ManifestFault> => {
  const { namespace } = slice.object.meta
  const services = run.inNamespace("Service", namespace)
  if (services.length === 0 || run.isThere("Service", namespace, name)) return []
  const names = services.map(({ object }) => object.meta.name)
  const similar = similarName(name, names, 2)
  return [
    finding(slice, {
      path: `metadata.labels["${Label.serviceName}"]`,
      reason: `there is no such Service in namespace ${namespace}`,
      received: name,
      remedy: similar === undefined ? "create the Service, or correct the label" : `did you mean ${similar}?`
    })
  ]
}

/** Ports meet by their names (S-62): a port of another name than the Service's is served to nobody. */
const unknownPorts = (slice: Slice, { object: service }: Service): ReadonlyArray<ManifestFault> => {
  const names = service.ports.map(({ name }) => name)
  if (names.length === 0) return []
  const { name, namespace } = service.meta
  return slice.object.ports.flatMap((port, i) =>
    names.includes(port.name)
      ? []
      : [
          finding(slice, {
            path: `ports[${i}].name`,
            reason: `Service ${namespace}/${name} has no port of this name, so nobody is sent there`,
            received: port.name,
            remedy: `write one of the Service's names: ${names.map((it) => JSON.stringify(it)).join(", ")}`
          })
        ]
  )
}

/** One finding for all of a slice's pods that are not there. */
const missingPods = (run: CheckedRun, slice: Slice): ReadonlyArray<ManifestFault> => {
  const missing = slice.object.endpoints.flatMap(({ targetRef }, i) => {
    if (targetRef?.kind !== "Pod") return []
    const { name, namespace } = targetRef
    const isThere = !run.isThere("Pod", namespace) || run.isThere("Pod", namespace, name)
    return isThere ? [] : [{ path: `endpoints[${i}].targetRef.name`, name, namespace }]
  })
  const [first] = missing
  if (first === undefined) return []
  const others = missing.length === 1 ? "" : `, and ${missing.length - 1} more of this slice`
  return [
    finding(slice, {
      path: first.path,
      reason: `there is no such Pod in namespace ${first.namespace}${others}; the endpoint waits for it`,
      received: first.name,
      remedy: "correct the name, or add the Pod"
    })
  ]
}
