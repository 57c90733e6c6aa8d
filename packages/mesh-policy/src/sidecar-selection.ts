import { type Labels, selects, type Sidecar } from "@istiod-lite/model"
import { compareBySelectorAndAge } from "./policy-order.ts"

/** The Sidecars of a namespace in the order in which they are tried. */
export const orderSidecars = (sidecars: ReadonlyArray<Sidecar>): ReadonlyArray<Sidecar> =>
  sidecars.toSorted(compareBySelectorAndAge)

/**
 * The Sidecar that holds for a workload (S-46): the first of its own namespace that selects it, else that of the
 * root namespace for everybody.
 *
 * Source: istio pilot/pkg/model/push_context.go (doGetSidecarScope).
 */
export const chooseSidecar = (
  own: ReadonlyArray<Sidecar>,
  root: ReadonlyArray<Sidecar>,
  labels: Labels
): Sidecar | undefined =>
  own.find(({ workloadSelector }) => workloadSelector === undefined || selects(workloadSelector, labels)) ??
  root.find(({ workloadSelector }) => workloadSelector === undefined)
