/**
 * Remembers a pure function of two values by their identity, for as long as the first one lives.
 *
 * Not a cache that anyone has to invalidate: the inputs are immutable, so the same inputs have one result for
 * ever, and what is made of them has one identity for all who ask.
 */
export const memoByIdentity = <A extends object, B, R>(compute: (a: A, b: B) => R): ((a: A, b: B) => R) => {
  const results = new WeakMap<A, Map<B, R>>()
  return (a, b) => {
    let known = results.get(a)
    if (known === undefined) results.set(a, (known = new Map()))
    let result = known.get(b)
    if (result === undefined) known.set(b, (result = compute(a, b)))
    return result
  }
}

/** The same for a function of one value. */
export const memoOne = <A extends object, R>(compute: (a: A) => R): ((a: A) => R) => {
  const results = new WeakMap<A, { readonly result: R }>()
  return (a) => {
    const known = results.get(a)
    if (known !== undefined) return known.result
    const result = compute(a)
    results.set(a, { result })
    return result
  }
}
