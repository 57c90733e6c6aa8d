import type { Difference } from "./compare-planes.ts"
import { isEmptyAssignment, type SimulatedSession } from "./simulated-session.ts"

/**
 * The assignments that became empty for a client: while a cluster is replaced, none may that has endpoints in the
 * end.
 */
export class EmptiedAssignments {
  readonly #emptied: Array<readonly [session: SimulatedSession, name: string]> = []

  /** Takes note of an assignment that a client was sent. */
  see(session: SimulatedSession, name: string, bytes: Uint8Array): void {
    if (isEmptyAssignment(bytes)) this.#emptied.push([session, name])
  }

  /** One that was empty, but only meanwhile. */
  difference(): Difference | undefined {
    const found = this.#emptied.find(([session, name]) => {
      const bytes = session.has(name)
      return bytes !== undefined && !isEmptyAssignment(bytes)
    })
    if (found === undefined) return undefined
    const [{ proxy }, name] = found
    return {
      what: `assignments of ${proxy.id}`,
      key: name,
      served: "empty meanwhile",
      expected: "never empty"
    }
  }
}
