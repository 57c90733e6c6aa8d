import {
  type Endpoint,
  type EndpointGroup,
  hasLabels,
  type HeldBack,
  type KubeService,
  type Service,
  shardKey,
  type WorkloadInstance
} from "@istiod-lite/model"
import { isExportedToNobody } from "./convert-service.ts"
import { targetPortOnMachine } from "./target-port.ts"

/** Whether a Kubernetes Service takes machines at all (S-21). */
export const selectsMachines = (service: Service): boolean =>
  service.resolution === "clientSideLB" &&
  !service.meshExternal &&
  hasLabels(service.labelSelectors) &&
  !isExportedToNobody(service)

/**
 * The endpoints that machines (WorkloadEntries) give to a Kubernetes Service that selects them (S-21), port by
 * port, in the order of `machines`. They carry no discoverability, send-unhealthy flag or legacy port key.
 * Undefined if none of them serves any port.
 */
export const machineEndpoints = (
  service: Service,
  kubeService: KubeService,
  machines: ReadonlyArray<WorkloadInstance>,
  cluster: string
): EndpointGroup | undefined => {
  const endpoints: Array<Endpoint> = []
  const heldBack: Array<HeldBack> = []
  for (const port of kubeService.ports) {
    for (const machine of machines) {
      const held = (reason: HeldBack["reason"]): void => {
        heldBack.push({
          address: machine.facts.addresses[0] ?? "",
          reason,
          object: `WorkloadEntry ${machine.namespace}/${machine.name}`
        })
      }
      if (machine.addressKind === "hostname" || machine.addressKind === "unix") {
        held("AddressNotIp")
        continue
      }
      const target = targetPortOnMachine(port, machine.ports)
      if (target === undefined) {
        held("NamedPortMissing")
        continue
      }
      endpoints.push({
        ...machine.facts,
        port: target,
        servicePortName: port.name,
        legacyClusterPortKey: 0,
        health: machine.health,
        sendUnhealthy: false,
        discoverability: "",
        origin: machine.origin
      })
    }
  }
  if (endpoints.length === 0 && heldBack.length === 0) return undefined
  return {
    hostname: service.hostname,
    namespace: service.namespace,
    shard: shardKey("Kubernetes", cluster),
    endpoints,
    ...(heldBack.length > 0 ? { heldBack } : {})
  }
}
