import type { Endpoint, ServiceEntryPort, WorkloadInstance } from "@istiod-lite/model"
import { unixPrefix } from "./convert-workload-entry.ts"

/** The port of an endpoint: a unix path has none, then the workload's map by name, the entry's target, its number (S-33). */
const endpointPort = (port: ServiceEntryPort, workload: WorkloadInstance): number =>
  workload.addressKind === "unix" ? 0 : workload.ports[port.name] || port.targetPort || port.number

/** A workload as the endpoint of one port of a ServiceEntry (S-33). */
export const instanceOf = (workload: WorkloadInstance, port: ServiceEntryPort): Endpoint => ({
  ...workload.facts,
  addresses:
    workload.addressKind === "unix"
      ? workload.facts.addresses.map((address) => address.slice(unixPrefix.length))
      : workload.facts.addresses,
  port: endpointPort(port, workload),
  servicePortName: port.name,
  legacyClusterPortKey: port.number,
  health: workload.health,
  sendUnhealthy: workload.sendUnhealthy,
  discoverability: workload.discoverability,
  origin: workload.origin
})

/** Workloads × ports, workload by workload. */
export const instancesOf = (
  workloads: ReadonlyArray<WorkloadInstance>,
  ports: ReadonlyArray<ServiceEntryPort>
): ReadonlyArray<Endpoint> => workloads.flatMap((workload) => ports.map((port) => instanceOf(workload, port)))
