/**
 * A part of `items` that is still enough, and of which no single item can be left out; in their order. Halves are
 * tried first, so that much goes in few tries.
 *
 * @param isEnough whether a part has the property that `items` have; asked as often as `tries` says at most
 */
export const minimize = <A>(
  items: ReadonlyArray<A>,
  isEnough: (part: ReadonlyArray<A>) => boolean,
  tries = 2000
): ReadonlyArray<A> => {
  let kept = items
  let left = tries
  for (let size = Math.ceil(kept.length / 2); size >= 1;) {
    let removed = false
    for (let start = 0; start < kept.length && left > 0;) {
      const part = [...kept.slice(0, start), ...kept.slice(start + size)]
      left--
      if (isEnough(part)) {
        kept = part
        removed = true
      } else start += size
    }
    if (left <= 0 || (size === 1 && !removed)) return kept
    if (size > 1) size = Math.ceil(size / 2)
  }
  return kept
}
