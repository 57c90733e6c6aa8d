import { assert, describe, it } from "@effect/vitest"
import { readEnvironment } from "./environment.ts"

describe("readEnvironment", () => {
  it("is istiod's defaults when nothing is said", () => {
    assert.deepEqual(readEnvironment().mesh, {
      addressMode: "status",
      clusterSetHosts: false,
      dualStack: false,
      exportedServicesOnly: false,
      ownClusterHosts: false,
      persistentSessions: false,
      sendUnhealthyEndpoints: true,
      tunnelMetadata: false
    })
  })

  it("translates each switch", () => {
    const { mesh, pool } = readEnvironment({
      PILOT_ENABLE_IP_AUTOALLOCATE: "false",
      PILOT_IP_AUTOALLOCATE_IPV4_PREFIX: "240.240.255.0/30",
      ENABLE_MCS_SERVICE_DISCOVERY: "true",
      ENABLE_MCS_HOST: "true",
      ENABLE_MCS_CLUSTER_LOCAL: "true",
      ISTIO_DUAL_STACK: true,
      PILOT_ENABLE_PERSISTENT_SESSION_FILTER: "true",
      PILOT_AUTO_SEND_UNHEALTHY_ENDPOINTS: "false",
      PILOT_ENABLE_AMBIENT: "true"
    })
    assert.deepEqual(mesh, {
      addressMode: "istio-v1",
      clusterSetHosts: true,
      dualStack: true,
      exportedServicesOnly: true,
      ownClusterHosts: true,
      persistentSessions: true,
      sendUnhealthyEndpoints: false,
      tunnelMetadata: true
    })
    assert.deepEqual(pool, { ipv4: "240.240.255.0/30", ipv6: "2001:2::/48" })
  })

  it("tells the names that it does not know", () => {
    assert.deepEqual(readEnvironment({ PILOT_SOMETHING: "1", toString: "1" }).unknown, [
      "PILOT_SOMETHING",
      "toString"
    ])
  })
})
