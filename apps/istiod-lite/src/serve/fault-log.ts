import type { Change } from "@istiod-lite/collections"
import { formatManifestFault, type ManifestFault, SourceFaults } from "@istiod-lite/source-files"
import { Effect, FiberSet, Layer } from "effect"

/** What a person is told about the faults of one file: those that are new, or that there is none left. */
export const faultLines = ({
  key,
  now = [],
  old = []
}: Change<ReadonlyArray<ManifestFault>>): ReadonlyArray<string> => {
  const grave = now.filter(isGrave)
  const known = new Set(old.map(formatManifestFault))
  const fresh = grave.map(formatManifestFault).filter((line) => !known.has(line))
  return grave.length === 0 && old.some(isGrave) ? [`${key}: no fault any more`] : fresh
}

/** A kind that discovery does not use is no fault. */
const isGrave = ({ severity }: ManifestFault): boolean => severity !== "info"

const tell = (changes: ReadonlyArray<Change<ReadonlyArray<ManifestFault>>>): Effect.Effect<void> =>
  Effect.forEach(changes.flatMap(faultLines), (line) => Effect.logWarning(line), { discard: true })

/** Logs the faults of manifests as they come and go, if the source has any to tell. What is good is served all the same. */
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
