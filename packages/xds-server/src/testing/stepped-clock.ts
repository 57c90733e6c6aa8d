import { Clock, Effect } from "effect"

/** The test's clock, of which the time of day can be put right, by milliseconds, while what has passed goes on. */
export const makeSteppedClock = Effect.map(Clock.Clock, (real) => {
  let off = 0
  const currentTimeMillisUnsafe = (): number => real.currentTimeMillisUnsafe() + off
  const currentTimeNanosUnsafe = (): bigint => real.currentTimeNanosUnsafe() + BigInt(off) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  const step = (milliseconds: number): void => {
    off += milliseconds
  }
  return { clock, step }
})
