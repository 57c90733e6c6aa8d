import type { MutualTlsMode, PeerAuthentication } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import { portRange, type Fields } from "./fields.ts"
import { decodePolicySelector } from "./selector.ts"

const modes = ["UNSET", "DISABLE", "PERMISSIVE", "STRICT"] as const

export const decodePeerAuthentication = (root: Fields, meta: ObjectMeta): PeerAuthentication => {
  const spec = root.at("spec")
  const ports = spec.at("portLevelMtls")
  const selector = decodePolicySelector(spec, "selector", "matchLabels")
  if (selector === undefined && ports.names().length > 0) {
    spec.warn("portLevelMtls", "has no effect without a selector", "select the workloads by their labels")
  }
  return {
    meta,
    selector,
    mtls: decodeMode(spec.at("mtls")),
    portLevelMtls: Object.fromEntries(
      ports
        .names()
        .filter((port) => isPort(ports, port))
        .map((port) => [port, decodeMode(ports.at(port))])
    )
  }
}

const decodeMode = (fields: Fields): MutualTlsMode => fields.oneOf("mode", modes, "UNSET")

const isPort = (ports: Fields, text: string): boolean => {
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= portRange.min && port <= portRange.max) return true
  ports.fail(text, "expected a port number, 1..65535, as its name", "use the workload's port")
  return false
}
