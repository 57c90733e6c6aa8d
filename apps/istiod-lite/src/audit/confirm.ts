import { MeshPolicy } from "@istiod-lite/mesh-policy"
import { ServiceDiscovery, type XdsResource } from "@istiod-lite/model"
import { type Assignment, assignmentQuery, type AssignmentSources } from "@istiod-lite/xds-eds"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Buffer } from "node:buffer"
import { Context, Effect, type Scope } from "effect"
import { readInputs } from "../compose/inputs.ts"
import { compareAssignments } from "./compare-assignments.ts"
import { differingInputs } from "./differing-inputs.ts"
import type { Drift } from "./drift.ts"
import { stillHeld } from "./held-assignments.ts"
import { freshGenerator, rebuild, type Running } from "./rebuild.ts"
import { assignmentOf, type Suspect } from "./suspects.ts"

/** A suspect with what is served of it at the moment whose inputs are made anew. */
interface Served {
  readonly suspect: Suspect
  readonly resource: XdsResource | undefined
  readonly assignment: Assignment
}

/**
 * The suspects that are drift: held as before some time ago, and differing from what a control plane gives that is
 * made anew of everything, or from what is served though that has been the same for that time.
 */
export const confirm = (
  running: Running,
  suspects: ReadonlyArray<Suspect>,
  connections: () => ReadonlyArray<ConnectionInfo>
): Effect.Effect<ReadonlyArray<Drift>, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const live = sourcesOf(running.context)
    const serving = yield* freshGenerator(running, running.context)
    const { noted, plane } = yield* rebuild(running, () => ({
      inputs: readInputs(running.inputs),
      noted: stillHeld(suspects, connections()).map((suspect): Served => ({
        suspect,
        resource: assignmentOf(serving, suspect),
        assignment: assignmentQuery(live)(suspect.proxy, suspect.name)
      }))
    }))
    const rebuilding = yield* freshGenerator(running, plane.context)
    return noted.flatMap((served) => {
      const rebuilt = assignmentOf(rebuilding, served.suspect)
      return driftOf(served, rebuilt, () => ({
        differences: compareAssignments(
          served.assignment,
          assignmentQuery(plane)(served.suspect.proxy, served.suspect.name)
        ),
        inputs: differingInputs(served.suspect.name, live.discovery, plane.discovery)
      }))
    })
  })

const driftOf = (
  { resource, suspect }: Served,
  rebuilt: XdsResource | undefined,
  explain: () => Pick<Drift & { readonly kind: "derived" }, "differences" | "inputs">
): ReadonlyArray<Drift> => {
  const { expected, name, version, who } = suspect
  if (!sameBytes(resource, rebuilt)) return [{ kind: "derived", name, who, ...explain() }]
  // Versions may differ where bytes do not, and what has changed meanwhile may be on its way.
  if (resource === undefined || version === resource.version || rebuilt?.version !== expected) return []
  return [{ kind: "unsent", name, who, held: version, current: resource.version }]
}

const sameBytes = (a: XdsResource | undefined, b: XdsResource | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a.bytes, b.bytes) === 0

const sourcesOf = (
  context: Running["context"]
): AssignmentSources & { readonly discovery: ServiceDiscovery["Service"] } => ({
  policy: Context.get(context, MeshPolicy),
  discovery: Context.get(context, ServiceDiscovery)
})
