/** Application protocols of a port. `UnsupportedProtocol` means that the proxy detects it. */
export type Protocol =
  | "GRPC"
  | "GRPC-Web"
  | "HTTP"
  | "HTTP_PROXY"
  | "HTTP2"
  | "HTTPS"
  | "TCP"
  | "TLS"
  | "UDP"
  | "Mongo"
  | "Redis"
  | "MySQL"
  | "UnsupportedProtocol"

const byName: Readonly<Record<string, Protocol>> = {
  tcp: "TCP",
  udp: "UDP",
  grpc: "GRPC",
  "grpc-web": "GRPC-Web",
  http: "HTTP",
  http_proxy: "HTTP_PROXY",
  http2: "HTTP2",
  https: "HTTPS",
  tls: "TLS",
  mongo: "Mongo",
  redis: "Redis",
  mysql: "MySQL"
}

/** The protocol of that name in any case, else UnsupportedProtocol. A ServiceEntry port is read by this alone (S-4). */
export const parseProtocol = (name: string): Protocol => byName[name.toLowerCase()] ?? "UnsupportedProtocol"

const byAppProtocol: Readonly<Record<string, Protocol>> = {
  "kubernetes.io/h2c": "HTTP2",
  "kubernetes.io/ws": "HTTP",
  "kubernetes.io/wss": "HTTPS"
}

/** SMTP, DNS, MySQL and MongoDB: the server speaks first, so detecting the protocol would hang (S-4). */
const serverFirst: ReadonlySet<number> = new Set([25, 53, 3306, 27017])

/** `grpc-web` holds a dash itself, so it is tested before the name is cut at its first one. */
const ofName = (name: string): Protocol => {
  const lower = name.toLowerCase()
  if (lower.startsWith("grpc-web")) return "GRPC-Web"
  const dash = lower.indexOf("-")
  return parseProtocol(dash < 0 ? lower : lower.slice(0, dash))
}

/**
 * The protocol of a Kubernetes service port (S-4): UDP transport is UDP; `appProtocol` replaces the name
 * completely; an unknown name on a server-first port is TCP.
 */
export const protocolOfKubePort = (port: {
  readonly port: number
  readonly name: string
  readonly protocol: string
  readonly appProtocol: string | undefined
}): Protocol => {
  if (port.protocol === "UDP") return "UDP"
  const app = port.appProtocol
  const named = app === undefined ? ofName(port.name) : (byAppProtocol[app] ?? ofName(app))
  return named === "UnsupportedProtocol" && serverFirst.has(port.port) ? "TCP" : named
}

/** Whether requests on this protocol can be told apart by HTTP means. */
export const isHttp = (protocol: Protocol): boolean =>
  protocol === "HTTP" ||
  protocol === "HTTP2" ||
  protocol === "HTTP_PROXY" ||
  protocol === "GRPC" ||
  protocol === "GRPC-Web"
