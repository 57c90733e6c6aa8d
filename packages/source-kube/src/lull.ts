import { type Duration, Effect } from "effect"

/** Waits for a moment in which nothing happens. */
export interface Lull {
  /** Something has happened: the moment begins anew. */
  readonly stir: () => void
}

/** Runs an effect aside. */
export type Fork = <A>(effect: Effect.Effect<A>) => unknown

/**
 * Calls back each time that nothing has happened for `quiet` since the last `stir`, and once, as the last call, when
 * `atMost` is over.
 *
 * @param onLull gives whether to go on
 */
export const awaitLull = (
  fork: Fork,
  { atMost, quiet }: { readonly quiet: Duration.Input; readonly atMost: Duration.Input },
  onLull: (isLast: boolean) => boolean
): Lull => {
  let stirred = 0
  let isOver = false
  const call = (isLast: boolean): void => {
    if (isOver) return
    isOver = !onLull(isLast) || isLast
  }
  const stir = (): void => {
    const mine = ++stirred
    fork(
      Effect.andThen(
        Effect.sleep(quiet),
        Effect.sync(() => stirred === mine && call(false))
      )
    )
  }
  fork(
    Effect.andThen(
      Effect.sleep(atMost),
      Effect.sync(() => call(true))
    )
  )
  stir()
  return { stir }
}
