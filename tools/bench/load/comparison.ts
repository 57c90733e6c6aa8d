import { type Measured, type Ratio, ratioOf, type Spread, spreadOf } from "../statistics.ts"
import { type ClientRun, type FigureName, figureUnits } from "./client-report.ts"
import type { Aim, Phase, Workload } from "./workloads.ts"

/** All that the client did to one server that was started for it. */
export interface ServerRun {
  readonly round: number
  /** by the name of the phase */
  readonly phases: Readonly<Record<string, ClientRun>>
  /** why nothing of the run counts; empty when it counts */
  readonly failures: ReadonlyArray<string>
}

/** One figure of ours beside the same figure of what ours is compared with. */
export interface ComparedFigure {
  readonly figure: string
  readonly unit: string
  readonly ours: Spread | undefined
  readonly theirs: Spread | undefined
  /** ours / theirs */
  readonly ratio: Ratio | undefined
  readonly target: number | undefined
  /** whether the ratio is at most the target; undefined without a target */
  readonly met: boolean | undefined
}

/** Ours beside one thing that it is compared with. */
export interface Comparison {
  readonly with: string
  readonly figures: ReadonlyArray<ComparedFigure>
}

const measuredOf = (
  runs: ReadonlyArray<ServerRun>,
  phase: string,
  figure: FigureName
): ReadonlyArray<Measured> =>
  runs.flatMap(({ failures, phases, round }) => {
    const value = phases[phase]?.figures[figure]
    return failures.length > 0 || value === undefined ? [] : [{ round, value }]
  })

const comparedFigure = (
  { name }: Phase,
  figure: FigureName,
  [ours, theirs]: readonly [ReadonlyArray<ServerRun>, ReadonlyArray<ServerRun>],
  target: number | undefined
): ComparedFigure => {
  const [mine, other] = [measuredOf(ours, name, figure), measuredOf(theirs, name, figure)]
  const ratio = ratioOf(mine, other)
  return {
    figure: name === "" ? figure : `${name}: ${figure}`,
    unit: figureUnits[figure],
    ours: spreadOf(mine.map(({ value }) => value)),
    theirs: spreadOf(other.map(({ value }) => value)),
    ratio,
    target,
    met: target === undefined ? undefined : ratio !== undefined && ratio.ofMedians <= target
  }
}

/** Compares runs, of which those that failed do not count. `variant` is the one of istiod that aims may speak of. */
export const compareRuns = (
  { aims, phases }: Pick<Workload, "aims" | "phases">,
  variant: string,
  ours: ReadonlyArray<ServerRun>,
  theirs: ReadonlyArray<ServerRun>
): ReadonlyArray<ComparedFigure> =>
  phases.flatMap((phase) =>
    phase.figures.map((figure) => {
      const isFor = (aim: Aim): boolean =>
        aim.phase === phase.name && aim.figure === figure && aim.variant === variant
      return comparedFigure(phase, figure, [ours, theirs], aims.find(isFor)?.atMost)
    })
  )
