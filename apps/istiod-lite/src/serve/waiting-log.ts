import type { Unsynced } from "@istiod-lite/registry-aggregate"
import { Effect } from "effect"

/** Who waits this long wonders what for. */
const patience = "5 seconds"

/** Tells what readiness waits for, if it takes long, and again when that changes. Interrupt it when ready. */
export const tellWaiting = (unsynced: Unsynced): Effect.Effect<never> =>
  Effect.suspend(() => {
    let told = ""
    const tell = Effect.suspend(() => {
      const text = unsynced().join(", ")
      if (text === told || text === "") return Effect.void
      told = text
      return Effect.logWarning(`Not ready yet: waiting for ${text}`)
    })
    return Effect.forever(Effect.andThen(Effect.sleep(patience), tell))
  })
