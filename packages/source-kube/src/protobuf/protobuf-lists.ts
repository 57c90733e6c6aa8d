import type { Kind } from "@istiod-lite/model"
import { schemaOfKind } from "./kube-schemas.ts"
import { makeReadPage, protobufType, type ReadPage } from "./read-list.ts"
import { TextPool } from "./text-pool.ts"

/**
 * How lists of each kind are asked for and read: Kubernetes' own kinds in protobuf, which is a third of the bytes and a
 * tenth of the work; undefined for others, which API servers have as JSON alone (ADR 0011).
 */
export const makeProtobufLists = (): ((
  kind: Kind
) => { readonly accept: string; readonly read: ReadPage } | undefined) => {
  // One for all kinds: slices and pods name the same nodes.
  const texts = new TextPool()
  return (kind) => {
    const schema = schemaOfKind(kind)
    if (schema === undefined) return undefined
    return { accept: `${protobufType}, application/json`, read: makeReadPage(kind, schema, texts) }
  }
}
