import { Effect, Latch, type Scope } from "effect"
import { Activity, type ActivityLine } from "./activity.ts"
import type { AdsObserver } from "./observer.ts"

/** How long events are gathered after the first one before they are told, and how long then nothing more is told. */
export const activityLogTimes = { gather: "500 millis", rest: "10 seconds" } as const

const write = ({ level, message }: ActivityLine): Effect.Effect<void> => Effect.logWithLevel(level)(message)

/**
 * An observer that logs what happens on the streams: soon after something happens first, then at most every ten
 * seconds, and what is left when the scope closes.
 */
export const makeActivityLog: Effect.Effect<AdsObserver, never, Scope.Scope> = Effect.gen(function* () {
  const something = Latch.makeUnsafe(false)
  const activity = new Activity(() => {
    Latch.openUnsafe(something)
  })
  const report = Effect.suspend(() => {
    Latch.closeUnsafe(something)
    return Effect.forEach(activity.take(), write, { discard: true })
  })
  yield* Effect.addFinalizer(() => report)
  yield* Latch.await(something).pipe(
    Effect.andThen(Effect.sleep(activityLogTimes.gather)),
    Effect.andThen(report),
    Effect.andThen(Effect.sleep(activityLogTimes.rest)),
    Effect.forever,
    Effect.forkScoped
  )
  return activity
})
