import type { XdsChanges } from "@istiod-lite/model"
import { ClusterLoadAssignment, LbEndpoint } from "@istiod-lite/xds-proto"
import { collectionsOf, withEndpoints } from "./with-endpoints.ts"

/** What a client keeps of assignments and of the collections that they name: what it is not told of stays. */
export class LedsClient {
  readonly #members = new Map<string, Map<string, Uint8Array>>()

  /** The collections that an assignment names; what is held of others is forgotten, as Envoy forgets it. */
  assigned(assignment: ClusterLoadAssignment): ReadonlyArray<string> {
    const names = collectionsOf(assignment)
    for (const name of this.#members.keys()) if (!names.includes(name)) this.#members.delete(name)
    return names
  }

  take(collection: string, { removed, resources }: XdsChanges): void {
    const members = this.#members.get(collection) ?? new Map<string, Uint8Array>()
    this.#members.set(collection, members)
    for (const name of removed) members.delete(name)
    for (const { bytes, name } of resources) members.set(name, bytes)
  }

  resolve(assignment: ClusterLoadAssignment): unknown {
    return withEndpoints(assignment, (name) =>
      [...(this.#members.get(name)?.values() ?? [])].map((bytes) => LbEndpoint.decode(bytes))
    )
  }
}

/** An assignment that contains its endpoints, in the same form. */
export const resolved = (bytes: Uint8Array): unknown => withEndpoints(ClusterLoadAssignment.decode(bytes))
