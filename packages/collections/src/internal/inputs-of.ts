import type { Readable } from "../collection.ts"
import type { Input } from "../provenance.ts"
import { CollectionNode } from "./collection-node.ts"
import { Derivation } from "./derivation.ts"
import { IndexNode } from "./index-node.ts"
import { MergeNode } from "./merge-node.ts"
import type { GraphNode } from "./node.ts"
import { forEachRead, noReads } from "./watchers.ts"

const input = (kind: Input["kind"], of: Readable & GraphNode, key: string, present: boolean): Input => ({
  kind,
  collection: of.name,
  key,
  present,
  of
})

function read(of: GraphNode, key: string, from: boolean): Input | undefined {
  if (of instanceof IndexNode) return input(from ? "from" : "lookup", of, key, of.peek(key) !== undefined)
  if (of instanceof CollectionNode) return input(from ? "from" : "get", of, key, of.get(key) !== undefined)
  return undefined
}

/** What the item behind a key was computed from in its last run; nothing for sources and unknown keys. */
export function inputsOf(node: GraphNode, key: string): ReadonlyArray<Input> {
  node.wakeUp()
  if (node instanceof MergeNode) {
    const winner = node.inputOf(key)
    return winner === undefined ? [] : [input("from", winner, key, true)]
  }
  if (!(node instanceof Derivation)) return []
  const itemKey = node.itemOf(key)
  if (itemKey === undefined) return []
  const found = new Map<string, Input>()
  const add = (of: GraphNode, at: string, from: boolean): void => {
    const next = read(of, at, from)
    const id = JSON.stringify([of.id, at, from])
    if (next !== undefined) found.set(id, next)
  }
  add(node.from, itemKey, true)
  const reads = node.items.get(itemKey)?.reads ?? noReads
  forEachRead(reads, 0, reads.length, (of, at) => add(of, at, false))
  return [...found.values()]
}
