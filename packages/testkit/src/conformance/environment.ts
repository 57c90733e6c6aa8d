import type { MeshConfigValue } from "@istiod-lite/model"

/** Where an allocator takes automatic addresses from. */
export interface AddressPool {
  readonly ipv4: string
  readonly ipv6: string
}

/** Our configuration for the switches that istiod takes from its process environment. */
export interface Environment {
  readonly mesh: Pick<
    MeshConfigValue,
    | "addressMode"
    | "clusterSetHosts"
    | "dualStack"
    | "exportedServicesOnly"
    | "ownClusterHosts"
    | "persistentSessions"
    | "sendUnhealthyEndpoints"
    | "tunnelMetadata"
  >
  readonly pool: AddressPool
  /** names that the table does not have: the scenario cannot be run */
  readonly unknown: ReadonlyArray<string>
}

/** What istiod does when its environment is silent; persistent sessions are off there and on with us (S-14). */
const silent: Environment = {
  mesh: {
    addressMode: "status",
    clusterSetHosts: false,
    dualStack: false,
    exportedServicesOnly: false,
    ownClusterHosts: false,
    persistentSessions: false,
    sendUnhealthyEndpoints: true,
    tunnelMetadata: false
  },
  pool: { ipv4: "240.240.0.0/16", ipv6: "2001:2::/48" },
  unknown: []
}

const switches: Readonly<Record<string, (value: string, so: Environment) => Environment>> = {
  PILOT_ENABLE_IP_AUTOALLOCATE: (value, so) =>
    withMesh(so, { addressMode: isOn(value) ? "status" : "istio-v1" }),
  PILOT_IP_AUTOALLOCATE_IPV4_PREFIX: (ipv4, so) => ({ ...so, pool: { ...so.pool, ipv4 } }),
  PILOT_IP_AUTOALLOCATE_IPV6_PREFIX: (ipv6, so) => ({ ...so, pool: { ...so.pool, ipv6 } }),
  ENABLE_MCS_SERVICE_DISCOVERY: (value, so) => withMesh(so, { exportedServicesOnly: isOn(value) }),
  ENABLE_MCS_HOST: (value, so) => withMesh(so, { clusterSetHosts: isOn(value) }),
  ENABLE_MCS_CLUSTER_LOCAL: (value, so) => withMesh(so, { ownClusterHosts: isOn(value) }),
  ISTIO_DUAL_STACK: (value, so) => withMesh(so, { dualStack: isOn(value) }),
  PILOT_ENABLE_PERSISTENT_SESSION_FILTER: (value, so) => withMesh(so, { persistentSessions: isOn(value) }),
  PILOT_AUTO_SEND_UNHEALTHY_ENDPOINTS: (value, so) => withMesh(so, { sendUnhealthyEndpoints: isOn(value) }),
  PILOT_ENABLE_AMBIENT: (value, so) => withMesh(so, { tunnelMetadata: isOn(value) })
}

/** Translates istiod's environment; the table is that of the conformance corpus. */
export const readEnvironment = (env: Readonly<Record<string, string | number | boolean>> = {}): Environment =>
  Object.entries(env).reduce((so, [name, value]) => {
    const apply = Object.hasOwn(switches, name) ? switches[name] : undefined
    return apply === undefined ? { ...so, unknown: [...so.unknown, name] } : apply(String(value), so)
  }, silent)

const withMesh = (so: Environment, mesh: Partial<Environment["mesh"]>): Environment => ({
  ...so,
  mesh: { ...so.mesh, ...mesh }
})

const isOn = (value: string): boolean => value.toLowerCase() === "true" || value === "1"
