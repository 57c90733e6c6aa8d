import { type Health, isPersistentSession, type Service, type SliceEndpoint } from "@istiod-lite/model"

/**
 * The health of an endpoint of a slice (S-14). A condition that is absent counts as true, so `ready: false` alone
 * means terminating. The service's label alone decides about draining, as in istiod: its switch
 * PILOT_ENABLE_PERSISTENT_SESSION_FILTER bears on listeners and clusters only (ADR 0008).
 */
export const endpointHealth = (endpoint: SliceEndpoint, service: Service): Health => {
  const { ready = true, serving = true, terminating = true } = endpoint
  if (ready) return "HEALTHY"
  if (isPersistentSession(service.labels) && serving && terminating) return "DRAINING"
  return terminating ? "TERMINATING" : "UNHEALTHY"
}
