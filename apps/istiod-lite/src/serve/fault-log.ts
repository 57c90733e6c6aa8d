import type { Change } from "@istiod-lite/collections"
import { formatManifestFault, type ManifestFault, SourceFaults } from "@istiod-lite/source-files"
import { Effect, FiberSet, Layer } from "effect"

type FileFaults = ReadonlyArray<ManifestFault>

/** A kind that discovery does not use is no fault. */
const graveFaults = (faults: FileFaults = []): ReadonlyArray<string> =>
  faults.filter(({ severity }) => severity !== "info").map(formatManifestFault)

/** Tells the faults of one file that are new, or that there is none left. */
const tellFile = ({ key, now, old }: Change<FileFaults>): Effect.Effect<void> => {
  const before = graveFaults(old)
  const after = graveFaults(now)
  if (after.length === 0)
    return before.length === 0 ? Effect.void : Effect.logInfo(`${key}: no fault any more`)
  const fresh = after.filter((line) => !before.includes(line))
  return Effect.forEach(fresh, (line) => Effect.logWarning(line), { discard: true })
}

const tell = (changes: ReadonlyArray<Change<FileFaults>>): Effect.Effect<void> =>
  Effect.forEach(changes, tellFile, { discard: true })

/** Logs the faults of manifests as they come and go, if the source tells any. What is good is served all the same. */
export const layerFaultLog: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const faults = yield* Effect.serviceOption(SourceFaults)
    if (faults._tag === "None") return
    const fork = yield* FiberSet.makeRuntime()
    yield* tell([...faults.value.entries()].map(([key, now]) => ({ key, old: undefined, now })))
    const unsubscribe = faults.value.subscribe((changes) => void fork(tell(changes)))
    yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
  })
)
