import { parseClusterName } from "@istiod-lite/mesh-policy"
import type { ConnectedProxy, XdsGenerator, XdsResource } from "@istiod-lite/model"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Effect, type Scope } from "effect"
import { type HeldAssignment, heldAssignments } from "./held-assignments.ts"
import { neededInputs } from "./needed-inputs.ts"
import { freshGenerator, rebuild, type Running } from "./rebuild.ts"

/** An assignment that is held in another version than what its objects give. */
export interface Suspect extends HeldAssignment {
  /** the version that they give; undefined if there is none */
  readonly expected: string | undefined
}

export interface Suspects {
  /** how many assignments were compared */
  readonly checked: number
  readonly suspects: ReadonlyArray<Suspect>
}

/**
 * Compares what the connections hold of some names with what a control plane gives that is made anew of what these
 * names need. Held and made are of one moment, but a change may be on its way to the proxy.
 */
export const findSuspects = (
  running: Running,
  names: ReadonlyArray<string>,
  connections: () => ReadonlyArray<ConnectionInfo>
): Effect.Effect<Suspects, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const { noted: held, plane } = yield* rebuild(running, () => {
      const held = heldAssignments(connections(), names)
      const proxies = [...new Set(held.map(({ proxy }) => proxy))]
      return { inputs: neededInputs(running.inputs, { hosts: hostsOf(held), proxies }), noted: held }
    })
    const generator = yield* freshGenerator(running, plane.context)
    const suspects: Array<Suspect> = []
    for (const [i, one] of held.entries()) {
      if (i % portionSize === portionSize - 1) yield* Effect.yieldNow
      const expected = assignmentOf(generator, one)?.version
      if (expected !== one.version) suspects.push({ ...one, expected })
    }
    return { checked: held.length, suspects }
  })

/** What the generator makes of one name. */
export const assignmentOf = (
  generator: XdsGenerator,
  { name, proxy }: { readonly name: string; readonly proxy: ConnectedProxy }
): XdsResource | undefined => generator.generate([name], proxy).find((resource) => resource.name === name)

/** How many assignments are made before others have their turn. */
const portionSize = 25

const hostsOf = (held: ReadonlyArray<HeldAssignment>): ReadonlySet<string> =>
  new Set([...new Set(held.map(({ name }) => name))].map((name) => parseClusterName(name)?.hostname ?? name))
