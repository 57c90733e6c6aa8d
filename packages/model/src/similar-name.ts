/**
 * The name among `known` that somebody probably meant by `written`: the same but for capitals, `-` and `_`, or else the
 * nearest by typing errors (a letter too many, too few, or another, or two neighbours that changed places), of which at
 * most `errors` count, and one at most in names of fewer than eight letters. Undefined if none is near; names of up to
 * three letters are too easily near each other.
 */
export const similarName = <N extends string>(
  written: string,
  known: ReadonlyArray<N>,
  errors: 1 | 2
): N | undefined => {
  const plainly = plain(written)
  const same = known.find((name) => plain(name) === plainly)
  if (same !== undefined) return same
  let nearest: { readonly name: N; readonly distance: number } | undefined
  for (const name of known) {
    const limit = Math.min(errors, allowedErrors(Math.min(name.length, written.length)))
    if (Math.abs(name.length - written.length) > limit) continue
    const distance = typingErrors(plainly, plain(name))
    if (distance <= limit && (nearest === undefined || distance < nearest.distance)) {
      nearest = { name, distance }
    }
  }
  return nearest?.name
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "")

const allowedErrors = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2)

/** The distance of optimal string alignment: Levenshtein's, with neighbours that changed places as one error. */
const typingErrors = (a: string, b: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(row, j - 1) + 1,
          at(last, j) + 1,
          at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(beforeLast, j - 2) + 1 : Infinity
        )
      )
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

const at = (row: ReadonlyArray<number>, j: number): number => row[j] ?? Infinity
