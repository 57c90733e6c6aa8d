import { Registries, WorkloadExchange } from "@istiod-lite/model"
import { Effect, type Scope } from "effect"
import { composeFromInputs, type DetachedControlPlane } from "./compose-from-inputs.ts"
import { copyForeignRegistries } from "./foreign-registries.ts"
import { type InputChanges, makeInputs, noInputChanges, readInputs } from "./inputs.ts"
import type { Discovery } from "./layer-discovery.ts"

/** How many objects of a copy are written at once: so many hold the event loop for a few milliseconds. */
const portionSize = 200

/**
 * Composes a second control plane over the objects, settings and allocator statuses that this one has at the moment;
 * it lives as long as the scope, and what is done to it is done to nobody else. The objects are shared, so a copy costs
 * what is derived from them, and it is filled in portions, so that the event loop is never held for long.
 *
 * Registries that do not read objects are copied as they stand. What is remembered of services without endpoints
 * (S-45) is not in the copy.
 */
export const copyControlPlane: Effect.Effect<DetachedControlPlane, Error, Discovery | Scope.Scope> =
  Effect.gen(function* () {
    const inputs = yield* makeInputs
    const original = { registries: yield* Registries, workloads: yield* WorkloadExchange }
    const copy = yield* composeFromInputs({
      configCluster: inputs.source.configCluster,
      allocates: inputs.statuses !== undefined
    })
    // One moment of the inputs, however long the copy takes.
    yield* fillInPortions(copy, readInputs(inputs))
    copyForeignRegistries(original, copy)
    return copy
  })

/** Writes the inputs of a copy, letting others have their turn in between. */
export const fillInPortions = (
  copy: DetachedControlPlane,
  { objects, ...others }: InputChanges
): Effect.Effect<void> =>
  Effect.gen(function* () {
    copy.inputs.apply({ ...others, objects: [] })
    for (let start = 0; start < objects.length; start += portionSize) {
      copy.inputs.apply({ ...noInputChanges, objects: objects.slice(start, start + portionSize) })
      yield* Effect.yieldNow
    }
  })
