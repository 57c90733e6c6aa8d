import type { DestinationRule, TlsSettingsMode, TrafficPolicy } from "@istiod-lite/model"

/** A policy that says nothing. */
export const noTrafficPolicy: TrafficPolicy = Object.freeze({
  tlsMode: undefined,
  outlierDetection: undefined,
  localityLbSetting: undefined,
  hasLoadBalancer: false,
  portLevelSettings: []
})

interface ForPort {
  readonly policy: TrafficPolicy | undefined
  /** the policy is a port's own, which inherits nothing */
  readonly ofPort: boolean
}

const forPort = (policy: TrafficPolicy | undefined, port: number): ForPort => {
  const own = policy?.portLevelSettings.find((settings) => settings.port === port)
  return own === undefined ? { policy, ofPort: false } : { policy: own.policy, ofPort: true }
}

const subsetPolicy = (rule: DestinationRule | undefined, subset: string): TrafficPolicy | undefined =>
  subset === "" ? undefined : rule?.subsets.find(({ name }) => name === subset)?.trafficPolicy

/**
 * The policy that holds for a port of a service, or of a subset of it (S-49): the settings of a port replace those
 * around them as a whole; a subset's replace the rule's field by field (load balancing is one field).
 *
 * Source: istio pilot/pkg/xds/endpoints/endpoint_builder.go (getSubsetTrafficPolicy), util.MergeSubsetTrafficPolicy.
 */
export const effectivePolicy = (
  rule: DestinationRule | undefined,
  port: number,
  subset: string
): TrafficPolicy => {
  const whole = forPort(rule?.trafficPolicy, port).policy
  const part = forPort(subsetPolicy(rule, subset), port)
  if (part.policy === undefined) return whole ?? noTrafficPolicy
  if (whole === undefined || part.ofPort) return part.policy
  const balancer = part.policy.hasLoadBalancer ? part.policy : whole
  return {
    ...balancer,
    tlsMode: part.policy.tlsMode ?? whole.tlsMode,
    outlierDetection: part.policy.outlierDetection ?? whole.outlierDetection,
    portLevelSettings: []
  }
}

/**
 * The TLS mode that a rule demands of a port or subset, undefined if it leaves that to the endpoints (S-65). Here,
 * unlike for the rest of a policy, a port's settings without TLS do inherit; a subset that is not there demands none.
 *
 * Source: istio pilot/pkg/xds/endpoints/mtls_checker.go (tlsModeForDestinationRule).
 */
export const demandedTlsMode = (
  rule: DestinationRule | undefined,
  port: number,
  subset: string
): TlsSettingsMode | undefined => {
  if (rule === undefined) return undefined
  const whole = tlsModeOf(rule.trafficPolicy, port)
  if (subset === "") return whole
  const part = rule.subsets.find(({ name }) => name === subset)
  return part === undefined ? undefined : (tlsModeOf(part.trafficPolicy, port) ?? whole)
}

const tlsModeOf = (policy: TrafficPolicy | undefined, port: number): TlsSettingsMode | undefined =>
  policy?.portLevelSettings.find(
    (settings) => settings.port === port && settings.policy.tlsMode !== undefined
  )?.policy.tlsMode ?? policy?.tlsMode
