import {
  hasLabels,
  type Labels,
  type MutualTlsMode,
  type PeerAuthentication,
  selects
} from "@istiod-lite/model"
import { compareMetaByAge } from "./policy-order.ts"

/** The PeerAuthentications of one namespace, sorted out. */
export interface NamespacePolicies {
  /** of the whole namespace; `UNSET` without such a policy */
  readonly mode: MutualTlsMode
  /** those that select workloads, oldest first */
  readonly workloads: ReadonlyArray<PeerAuthentication>
}

/** Of several policies for a whole namespace the oldest counts; an empty selector selects the namespace. */
export const gatherPolicies = (policies: ReadonlyArray<PeerAuthentication>): NamespacePolicies => {
  const byAge = policies.toSorted((a, b) => compareMetaByAge(a.meta, b.meta))
  return {
    mode: byAge.find(({ selector }) => !hasLabels(selector))?.mtls ?? "UNSET",
    workloads: byAge.filter(({ selector }) => hasLabels(selector))
  }
}

const orElse = (mode: MutualTlsMode | undefined, inherited: MutualTlsMode): MutualTlsMode =>
  mode === undefined || mode === "UNSET" ? inherited : mode

/**
 * What a workload accepts on a port of its own (S-49): the port's mode in the policy that selects the workload, that
 * policy's, its namespace's, the mesh's, PERMISSIVE. Policies of the root namespace are for the mesh, so those of
 * them that select workloads have no effect. Only policies with a selector have ports.
 *
 * @param own the policies of the workload's namespace; undefined when that is the root namespace
 * @param port of the endpoint, not of the service
 *
 * Source: istio pilot/pkg/security/authn/policy_applier.go (ComposePeerAuthentication).
 */
export const effectiveMutualTls = (
  root: NamespacePolicies | undefined,
  own: NamespacePolicies | undefined,
  labels: Labels,
  port: number
): MutualTlsMode => {
  const ofNamespace = orElse(own?.mode, orElse(root?.mode, "PERMISSIVE"))
  const policy = own?.workloads.find(({ selector }) => selector !== undefined && selects(selector, labels))
  return orElse(policy?.portLevelMtls[port], orElse(policy?.mtls, ofNamespace))
}
