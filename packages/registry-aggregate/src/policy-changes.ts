import type { Change } from "@istiod-lite/collections"
import type { Labels, ObjectMeta } from "@istiod-lite/model"
import { Equal } from "effect"

/** An object that is read for what it says, not for what tools write beside it. */
interface Policy {
  readonly meta: ObjectMeta
}

/**
 * Whether a policy says something else than before. Tools rewrite annotations, labels and versions all the time, and
 * none of these decides what clients are told, unless its name is Istio's (D-15).
 */
export const saysSomethingElse = <P extends Policy>({ now, old }: Change<P>): boolean =>
  now === undefined || old === undefined || !Equal.equals(sayings(now), sayings(old))

const sayings = ({ meta, ...policy }: Policy): unknown => ({
  ...policy,
  // Age and names decide which of several policies wins.
  meta: {
    name: meta.name,
    namespace: meta.namespace,
    creationTime: meta.creationTime,
    labels: ofIstio(meta.labels),
    annotations: ofIstio(meta.annotations)
  }
})

const ofIstio = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => /istio\.io(\/|$)/.test(name)))
