import { gatewaysKey, normaliseAddress } from "@istiod-lite/model"
import { addressClaims } from "./address-claims.ts"
import type { Conflict } from "./conflict.ts"
import type { ExplainContext } from "./explain-context.ts"
import { addressConflicts } from "./explain-conflicts.ts"
import { explainEndpoint } from "./explain-endpoint.ts"
import type { Explanation } from "./explanation.ts"
import { findObjects } from "./named-objects.ts"
import { objectName } from "./object-names.ts"
import { sameAddress } from "./subject.ts"

/** One thing that has an address. */
export interface AddressUse {
  /** `virtual IP`, `pod`, `network gateway` */
  readonly as: string
  readonly object: string
  readonly detail: string
}

/** All that has an address, and what of it is disputed. */
export interface AddressExplanation {
  readonly address: string
  readonly uses: ReadonlyArray<AddressUse>
  readonly conflicts: ReadonlyArray<Conflict>
  readonly endpoints: ReadonlyArray<Explanation>
}

/** Explains an address, whatever it is the address of. */
export const explainAddress = (context: ExplainContext, text: string): AddressExplanation => {
  const address = normaliseAddress(text)
  const subject = { kind: "address", address, port: undefined } as const
  const { pods, workloadEntries } = findObjects(context, subject)
  const services = addressClaims(context).filter((claim) => sameAddress(claim.address, address))
  const gateways = (context.discovery.gateways.get(gatewaysKey) ?? []).filter((one) =>
    sameAddress(one.address, address)
  )
  const nodes = [...context.objects.clusters.values()].flatMap(({ cluster, objects }) =>
    [...objects.Node.values()].flatMap(({ addresses, meta }) =>
      addresses
        .filter((one) => sameAddress(one.address, address))
        .map(({ type }) => ({ cluster, name: meta.name, type }))
    )
  )
  return {
    address,
    uses: [
      ...services.map(({ as, cluster, object, service }) => ({
        as,
        object,
        detail: `${service.hostname}${cluster === undefined ? "" : `, for clients of cluster ${cluster}`}`
      })),
      ...pods.map(({ cluster, object: { hostNetwork, meta, phase } }) => ({
        as: "pod",
        object: objectName("Pod", meta),
        detail: `${phase}, cluster ${cluster}${hostNetwork ? ", its node's address" : ""}`
      })),
      ...workloadEntries.map(({ meta, spec }) => ({
        as: "machine",
        object: objectName("WorkloadEntry", meta),
        detail: spec.network === "" ? "no network" : `network ${spec.network}`
      })),
      ...nodes.map(({ cluster, name, type }) => ({
        as: "node",
        object: `Node ${name}`,
        detail: `${type}, cluster ${cluster}`
      })),
      ...gateways.map(({ cluster, network, port }) => ({
        as: "network gateway",
        object: `network ${network}`,
        detail: `port ${port}${cluster === "" ? "" : `, cluster ${cluster}`}`
      }))
    ],
    conflicts: addressConflicts(context).filter(({ subject: of }) => of === address),
    endpoints: explainEndpoint(context, subject, undefined)
  }
}
