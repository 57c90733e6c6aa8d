import type { KubeService, KubeServicePort } from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { requireIp } from "./pod.ts"

const types = ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"] as const

export const decodeKubeService = (root: Fields, meta: ObjectMeta): KubeService => {
  const spec = root.at("spec")
  const ports = spec.list("ports").map(decodePort)
  checkDuplicates(spec, ports)
  return {
    meta,
    type: spec.oneOf("type", types, "ClusterIP"),
    clusterIP: clusterIp(spec, "clusterIP"),
    clusterIPs: spec.texts("clusterIPs"),
    selector: spec.labels("selector"),
    ports,
    externalName: spec.text("externalName"),
    externalIPs: spec.texts("externalIPs"),
    loadBalancerIngress: root
      .at("status")
      .at("loadBalancer")
      .list("ingress")
      .map((it) => ({ ip: requireIp(it, "ip"), hostname: it.text("hostname") })),
    internalTrafficPolicy: spec.oneOf("internalTrafficPolicy", ["Cluster", "Local"], "Cluster"),
    trafficDistribution: spec.text("trafficDistribution"),
    publishNotReadyAddresses: spec.flag("publishNotReadyAddresses") ?? false
  }
}

/** `None` makes a service headless. */
const clusterIp = (spec: Fields, name: string): string =>
  spec.text(name) === "None" ? "None" : requireIp(spec, name)

const decodePort = (fields: Fields): KubeServicePort => {
  const port = fields.requiredPort("port")
  return {
    name: fields.text("name"),
    port,
    protocol: fields.text("protocol") || "TCP",
    appProtocol: fields.optionalText("appProtocol"),
    targetPort: decodeTargetPort(fields, port),
    nodePort: fields.integer("nodePort", { min: 0, max: portRange.max }, 0)
  }
}

/** A number, or the name of a container port: text stays a name, digits or not (Kubernetes' IntOrString). 0 is none. */
const decodeTargetPort = (fields: Fields, port: number): number | string => {
  const value = fields.raw("targetPort")
  if (typeof value === "string") return value === "" ? port : value
  return value === 0 ? port : fields.port("targetPort", port)
}

const checkDuplicates = (spec: Fields, ports: ReadonlyArray<KubeServicePort>): void => {
  const names = new Set<string>()
  const numbers = new Set<string>()
  ports.forEach(({ name, port, protocol }, i) => {
    if (names.has(name))
      spec.fail(`ports[${i}]`, `duplicate port name ${JSON.stringify(name)}`, "name each port once")
    const number = `${protocol}/${port}`
    if (port > 0 && numbers.has(number))
      spec.fail(`ports[${i}]`, `duplicate port ${number}`, "list each port once")
    names.add(name)
    numbers.add(number)
  })
}
