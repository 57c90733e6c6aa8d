/**
 * Whether one of two names is probably meant to be the other: one has the other in it (`erp`, `erp-vm`), or they differ
 * by one typing error (`orders`, `ordres`).
 */
export const isAlike = (wanted: string, actual: string | undefined): boolean => {
  if (!actual || wanted === "") return false
  const [a, b] = [wanted.toLowerCase(), actual.toLowerCase()]
  return a.includes(b) || b.includes(a) || (Math.min(a.length, b.length) > 3 && isOneErrorAway(a, b))
}

/** One letter too many, too few, or another, or two that have changed places. */
const isOneErrorAway = (a: string, b: string): boolean => {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (restA.length <= 1 && restB.length <= 1) return true
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0]
}
