import { type Health, isPersistentSession, type Service, type SliceEndpoint } from "@istiod-lite/model"

/**
 * The health of an endpoint of a slice (S-14). A condition that is absent counts as true, so `ready: false` alone
 * means terminating.
 */
export const endpointHealth = (
  endpoint: SliceEndpoint,
  service: Service,
  persistentSessions: boolean
): Health => {
  const { ready = true, serving = true, terminating = true } = endpoint
  if (ready) return "HEALTHY"
  if (persistentSessions && isPersistentSession(service.labels) && serving && terminating) return "DRAINING"
  return terminating ? "TERMINATING" : "UNHEALTHY"
}
