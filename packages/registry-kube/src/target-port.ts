import type { KubeServicePort, Pod } from "@istiod-lite/model"

/** The container port that a service port leads to on a pod; undefined if its name is not there (S-20). */
export const targetPortOnPod = (port: KubeServicePort, ports: Pod["ports"]): number | undefined =>
  typeof port.targetPort === "number"
    ? port.targetPort
    : ports.find(({ name, protocol }) => name === port.targetPort && protocol === port.protocol)
        ?.containerPort

/**
 * The port that a service port leads to on a machine (S-21). A numeric target port is taken, unless the machine's
 * port map has the service port's name; a named one goes through the port map or gives undefined.
 */
export const targetPortOnMachine = (
  port: KubeServicePort,
  portMap: Readonly<Record<string, number>>
): number | undefined => {
  if (typeof port.targetPort === "number") return portMap[port.name] || port.targetPort || port.port
  return port.targetPort === "" ? port.port : portMap[port.targetPort] || undefined
}
