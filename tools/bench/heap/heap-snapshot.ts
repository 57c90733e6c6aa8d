/** What V8's heap snapshots say, as far as a summary needs it: what lives, by what it is. */
import { Schema } from "effect"

const HeapSnapshot = Schema.Struct({
  snapshot: Schema.Struct({
    meta: Schema.Struct({
      node_fields: Schema.Array(Schema.String),
      node_types: Schema.Array(Schema.Unknown),
      edge_fields: Schema.Array(Schema.String),
      edge_types: Schema.Array(Schema.Unknown)
    })
  }),
  nodes: Schema.Any,
  edges: Schema.Any,
  strings: Schema.Any
})

/** How many of a kind there are, and their own bytes, without what they refer to. */
export interface HeapShare {
  readonly count: number
  readonly bytes: number
}

/** Plain objects are told apart by so many of their properties. */
const propertiesNamed = 4

interface Table {
  readonly values: ReadonlyArray<number>
  readonly width: number
  readonly at: (field: string) => number
  readonly types: ReadonlyArray<string>
}

const tableOf = (values: ReadonlyArray<number>, fields: ReadonlyArray<string>, types: unknown): Table => ({
  values,
  width: fields.length,
  at: (field) => fields.indexOf(field),
  types: Array.isArray(types) ? types.map(String) : []
})

/**
 * What lives in a heap by kind: plain objects by the names of their first properties (`{addresses, labels, …}`), others by
 * their class, and what V8 keeps for itself by what it calls it.
 *
 * @param text a heap snapshot as V8 writes it
 */
export const summarizeHeap = (text: string): ReadonlyMap<string, HeapShare> => {
  const { edges, nodes, snapshot, strings } = Schema.decodeUnknownSync(HeapSnapshot)(JSON.parse(text))
  const { meta } = snapshot
  const node = tableOf(nodes as ReadonlyArray<number>, meta.node_fields, meta.node_types[0])
  const edge = tableOf(edges as ReadonlyArray<number>, meta.edge_fields, meta.edge_types[0])
  const textAt = (index: number | undefined): string => (strings as ReadonlyArray<string>)[index ?? -1] ?? ""
  const [typeAt, nameAt] = [node.at("type"), node.at("name")]
  const [sizeAt, edgesAt] = [node.at("self_size"), node.at("edge_count")]
  const [edgeTypeAt, edgeNameAt] = [edge.at("type"), edge.at("name_or_index")]

  const propertiesOf = (first: number, count: number): ReadonlyArray<string> => {
    const names: Array<string> = []
    for (let i = first; i < first + count && names.length <= propertiesNamed; i++) {
      const from = i * edge.width
      if (edge.types[edge.values[from + edgeTypeAt] ?? -1] !== "property") continue
      const name = textAt(edge.values[from + edgeNameAt])
      if (name !== "__proto__") names.push(name)
    }
    return names
  }
  const kindOf = (from: number, firstEdge: number, edgeCount: number): string => {
    const type = node.types[node.values[from + typeAt] ?? -1] ?? ""
    const name = textAt(node.values[from + nameAt])
    if (type !== "object") return type === "array" ? `array ${name}`.trim() : type
    if (name !== "Object") return name
    const names = propertiesOf(firstEdge, edgeCount)
    const shown = names.slice(0, propertiesNamed).join(", ")
    return names.length > propertiesNamed ? `{${shown}, …}` : `{${shown}}`
  }

  const shares = new Map<string, { count: number; bytes: number }>()
  let firstEdge = 0
  for (let from = 0; from < node.values.length; from += node.width) {
    const edgeCount = node.values[from + edgesAt] ?? 0
    const kind = kindOf(from, firstEdge, edgeCount)
    const share = shares.get(kind) ?? { count: 0, bytes: 0 }
    share.count++
    share.bytes += node.values[from + sizeAt] ?? 0
    shares.set(kind, share)
    firstEdge += edgeCount
  }
  return shares
}
