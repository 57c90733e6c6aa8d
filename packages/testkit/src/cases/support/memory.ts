import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** MB that are in use after garbage is collected, buffers included. */
export const megabytesInUse: Effect.Effect<number> = Effect.gen(function* () {
  // Finalizers and what they let go take turns of the event loop.
  for (let turn = 0; turn < 3; turn++) {
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
    collectGarbage()
  }
  const { external, heapUsed } = process.memoryUsage()
  return (heapUsed + external) / 1e6
})
