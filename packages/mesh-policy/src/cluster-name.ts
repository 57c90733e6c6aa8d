/** Which side of a proxy a cluster is for; `inbound-vip` is a waypoint's inbound side. */
export type Direction = "outbound" | "inbound" | "inbound-vip"

/** The parts of an Envoy cluster's name (S-50). */
export interface ClusterName {
  readonly direction: Direction
  /** the service port's number */
  readonly port: number
  /** empty for the whole service */
  readonly subset: string
  /** empty for inbound clusters */
  readonly hostname: string
  /** written as `outbound_.80_.v1_.host`, the form that is also a TLS server name */
  readonly sniDnat: boolean
}

const directions: ReadonlySet<string> = new Set(["outbound", "inbound", "inbound-vip"])
const isDirection = (text: string): text is Direction => directions.has(text)

/** `outbound|80|v1|host`, or `outbound_.80_.v1_.host` for SNI-DNAT. */
export const formatClusterName = ({ direction, hostname, port, sniDnat, subset }: ClusterName): string =>
  [direction, port, subset, hostname].join(sniDnat ? "_." : "|")

/** The name of the outbound cluster of a service port, or of a subset of it. */
export const outboundCluster = (hostname: string, port: number, subset = "", sniDnat = false): string =>
  formatClusterName({ direction: "outbound", hostname, port, sniDnat, subset })

/**
 * Takes a cluster name of either form apart; undefined if it is neither.
 *
 * Source: istio pilot/pkg/model/service.go (ParseSubsetKey).
 */
export const parseClusterName = (text: string): ClusterName | undefined => {
  const sniDnat = !text.includes("|")
  const [direction = "", port = "", subset = "", hostname, ...more] = text.split(sniDnat ? "_." : "|")
  if (!isDirection(direction) || hostname === undefined || more.length > 0) return undefined
  if (!/^\d{1,5}$/.test(port)) return undefined
  return { direction, hostname, port: Number(port), sniDnat, subset }
}
