/** The cycles of a graph as text, `a → b → a`: each once, starting at its alphabetically first member. */
export const cyclesOf = (edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (at: string, path: ReadonlyArray<string>): void => {
    const start = path.indexOf(at)
    if (start >= 0) {
      const ring = path.slice(start)
      const first = ring.indexOf(ring.toSorted()[0] ?? at)
      const turned = [...ring.slice(first), ...ring.slice(0, first)]
      found.add([...turned, turned[0]].join(" → "))
      return
    }
    if (done.has(at)) return
    for (const to of edges.get(at) ?? []) visit(to, [...path, at])
    done.add(at)
  }
  for (const at of [...edges.keys()].toSorted()) visit(at, [])
  return [...found]
}
