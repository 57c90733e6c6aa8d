/** The middle and the ends of values that were measured several times. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly values: ReadonlyArray<number>
}

/** The middle value; of an even number of values the mean of the middle two; NaN of none. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** Undefined when nothing was measured. */
export const spreadOf = (values: ReadonlyArray<number>): Spread | undefined =>
  values.length === 0
    ? undefined
    : { median: median(values), min: Math.min(...values), max: Math.max(...values), values }

/** A value that was measured in a round. */
export interface Measured {
  readonly round: number
  readonly value: number
}

/** How two things that took turns compare. */
export interface Ratio {
  /** of the medians */
  readonly ofMedians: number
  /** the smallest and the largest ratio within a round in which both were measured */
  readonly min: number
  readonly max: number
}

/** Ours divided by theirs; undefined when either was never measured, or theirs is nothing to divide by. */
export const ratioOf = (
  ours: ReadonlyArray<Measured>,
  theirs: ReadonlyArray<Measured>
): Ratio | undefined => {
  const [mine, other] = [ours, theirs].map((side) => median(side.map(({ value }) => value)))
  if (mine === undefined || other === undefined || Number.isNaN(mine) || !(other > 0)) return undefined
  const within = ours.flatMap(({ round, value }) =>
    theirs.filter((their) => their.round === round && their.value > 0).map((their) => value / their.value)
  )
  const ends = within.length === 0 ? [mine / other] : within
  return { ofMedians: mine / other, min: Math.min(...ends), max: Math.max(...ends) }
}
