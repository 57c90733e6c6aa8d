/** What V8's CPU profiles say, as far as a summary needs it. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }>
  /** which node was on top, at each sample */
  readonly samples: ReadonlyArray<number>
  /** the time before each sample */
  readonly timeDeltas: ReadonlyArray<number>
}

/** A function and the time that it was on top of the stack. */
export interface SelfTime {
  /** name, file and line */
  readonly where: string
  readonly milliseconds: number
  /** of the time in which the program did something, 0 … 1 */
  readonly share: number
}

const idle = "(idle)"

/** The functions that took most time by themselves, the most first; waiting is none. */
export const topBySelfTime = (
  { nodes, samples, timeDeltas }: CpuProfile,
  most: number
): ReadonlyArray<SelfTime> => {
  const whereOf = new Map(
    nodes.map(({ callFrame: { functionName, lineNumber, url }, id }) => {
      const file = url.slice(url.lastIndexOf("/") + 1)
      return [id, `${functionName || "(anonymous)"}${file === "" ? "" : ` ${file}:${lineNumber + 1}`}`]
    })
  )
  const times = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const where = whereOf.get(id) ?? "(unknown)"
    times.set(where, (times.get(where) ?? 0) + (timeDeltas[i] ?? 0))
  }
  times.delete(idle)
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([where, time]) => ({ where, milliseconds: time / 1000, share: busy === 0 ? 0 : time / busy }))
}
