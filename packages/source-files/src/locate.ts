import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type LineCounter, type Node } from "yaml"

/** `spec.ports[0].number` and `metadata.labels["a.b"]`, step by step. */
export const parsePath = (path: string): ReadonlyArray<string | number> =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? "") : Number(index)
  )

/** The line of a field of a document, counted from 1; of a missing field, that of the innermost object around it. */
export const lineOfPath = (document: Document, lines: LineCounter, path: string): number => {
  let node = resolve(document, document.contents)
  let offset = node?.range?.[0] ?? 0
  for (const step of parsePath(path)) {
    const next = descend(node, step)
    if (next === undefined) break
    offset = next.offset ?? offset
    node = resolve(document, next.value)
  }
  return lines.linePos(offset).line
}

interface Step {
  readonly value: unknown
  readonly offset: number | undefined
}

const descend = (node: Node | undefined, step: string | number): Step | undefined => {
  if (isSeq(node) && typeof step === "number") {
    const value = node.items[step]
    return value === undefined ? undefined : { value, offset: offsetOf(value) }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(
    (it) => isPair(it) && isScalar(it.key) && String(it.key.value) === String(step)
  )
  return pair && { value: pair.value, offset: offsetOf(pair.key) }
}

const offsetOf = (node: unknown): number | undefined =>
  isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined

const resolve = (document: Document, node: unknown): Node | undefined => {
  if (isAlias(node)) return node.resolve(document)
  return isScalar(node) || isMap(node) || isSeq(node) ? node : undefined
}
