import type { Gateway } from "../objects/istio.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import type { Fields } from "./fields.ts"

export const decodeGateway = (root: Fields, meta: ObjectMeta): Gateway => {
  const spec = root.at("spec")
  if (!spec.has("servers")) spec.warn("servers", "the gateway has no server", "give its ports and hosts")
  return {
    meta,
    selector: spec.labels("selector"),
    servers: spec.list("servers").map((server) => {
      const port = server.at("port")
      return {
        port: {
          number: port.requiredPort("number"),
          name: port.text("name"),
          protocol: port.text("protocol")
        },
        hosts: server.texts("hosts"),
        tlsMode: server.at("tls").text("mode")
      }
    })
  }
}
