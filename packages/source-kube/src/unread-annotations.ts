import { Annotation, isIstioKind, type Kind } from "@istiod-lite/model"
import type { RawListed } from "./watch-event.ts"

const read: ReadonlySet<string> = new Set(Object.values(Annotation))

/** kubectl's, which repeats the whole manifest. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/**
 * Takes annotations that discovery does not read out of an object that nobody else has: they may be larger than all
 * the rest of it. Those of Istio's objects stay, but for kubectl's: they are few, and machines keep their state there.
 */
export const dropUnreadAnnotations = (kind: Kind, { metadata }: RawListed): void => {
  if (metadata === undefined) return
  const { annotations } = metadata
  if (typeof annotations !== "object" || annotations === null) return
  const isKept = (name: string): boolean => (isIstioKind(kind) ? name !== lastApplied : read.has(name))
  metadata.annotations = Object.fromEntries(Object.entries(annotations).filter(([name]) => isKept(name)))
}
