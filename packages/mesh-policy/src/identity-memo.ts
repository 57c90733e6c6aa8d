/**
 * Functions of immutable values, remembered by the identity of the values for as long as these live.
 *
 * Not caches that anyone has to invalidate: the same inputs have one result for ever. What it is for is that the
 * result has one identity too, for all who ask.
 */

/** Remembers a function of one value. */
export const memoOne = <A extends object, R extends object>(compute: (a: A) => R): ((a: A) => R) => {
  const results = new WeakMap<A, R>()
  return (a) => {
    const known = results.get(a)
    if (known !== undefined) return known
    const result = compute(a)
    results.set(a, result)
    return result
  }
}

/** Remembers a function of two values. */
export const memoPair = <A extends object, B extends object, R extends object>(
  compute: (a: A, b: B) => R
): ((a: A, b: B) => R) => {
  const withFirst = memoOne((a: A) => memoOne((b: B) => compute(a, b)))
  return (a, b) => withFirst(a)(b)
}

/** Remembers a function of a value and a short text, of which there are few for each value. */
export const memoVariant = <A extends object, R extends object>(
  compute: (a: A, variant: string) => R
): ((a: A, variant: string) => R) => {
  const variantsOf = memoOne<A, Map<string, R>>(() => new Map())
  return (a, variant) => {
    const variants = variantsOf(a)
    const known = variants.get(variant)
    if (known !== undefined) return known
    const result = compute(a, variant)
    variants.set(variant, result)
    return result
  }
}
