import { hasLabels, selects, similarName } from "@istiod-lite/model"
import { targetPortOnMachine } from "@istiod-lite/registry-kube"
import type { ManifestFault } from "@istiod-lite/source-files"
import type { CheckedRun, Placed } from "./checked-run.ts"
import { finding } from "./finding.ts"

/** Named target ports of Services that a machine which they select does not have (S-21). */
export const machinePortRelations = (run: CheckedRun): ReadonlyArray<ManifestFault> =>
  run
    .all("Service")
    .filter(({ object }) => takesMachines(object))
    .flatMap((service) => {
      const { meta, selector } = service.object
      return run
        .inNamespace("WorkloadEntry", meta.namespace)
        .filter(({ object }) => selects(selector, { ...object.spec.labels, ...object.meta.labels }))
        .flatMap((machine) => missingPorts(service, machine))
    })

/** Headless Services and aliases take none (S-21). */
const takesMachines = ({ clusterIP, selector, type }: Placed<"Service">["object"]): boolean =>
  clusterIP !== "None" && type !== "ExternalName" && hasLabels(selector)

const missingPorts = (
  { object: { meta, ports } }: Placed<"Service">,
  machine: Placed<"WorkloadEntry">
): ReadonlyArray<ManifestFault> =>
  ports
    .filter((port) => targetPortOnMachine(port, machine.object.spec.ports) === undefined)
    .map(({ port, targetPort }) => {
      const name = String(targetPort)
      const similar = similarName(name, Object.keys(machine.object.spec.ports), 2)
      return finding(machine, {
        path: "spec.ports",
        reason: `Service ${meta.namespace}/${meta.name} sends port ${port} to ${JSON.stringify(name)}, which is not among them`,
        remedy:
          similar === undefined
            ? `add ${name} with its number, or give the Service's targetPort as a number`
            : `rename ${similar} to ${name}`
      })
    })
