import type { MeshConfigValue } from "@istiod-lite/model"
import type { InputChanges, ObjectChange, StatusAddresses } from "./inputs.ts"

/** Changes that are brought together: of each key the last one counts. Its size is bounded by the number of keys. */
export class GatheredChanges {
  readonly #clusters: Array<readonly [string, boolean]> = []
  readonly #objects = new Map<string, ObjectChange>()
  readonly #statuses = new Map<string, StatusAddresses | undefined>()
  readonly #gatewayAddresses = new Map<string, ReadonlyArray<string> | undefined>()
  #mesh: MeshConfigValue | undefined

  get isEmpty(): boolean {
    return (
      this.#clusters.length + this.#objects.size + this.#statuses.size + this.#gatewayAddresses.size === 0 &&
      this.#mesh === undefined
    )
  }

  /** Takes in later changes. */
  absorb({ clusters, gatewayAddresses, mesh, objects, statuses }: Partial<InputChanges>): void {
    for (const [id, isThere] of clusters ?? []) this.#absorbCluster(id, isThere)
    for (const change of objects ?? []) this.#objects.set(keyOf(change), change)
    for (const [key, value] of statuses ?? []) this.#statuses.set(key, value)
    for (const [key, value] of gatewayAddresses ?? []) this.#gatewayAddresses.set(key, value)
    this.#mesh = mesh ?? this.#mesh
  }

  /** All of them; and nothing is gathered any more. */
  take(): InputChanges {
    const changes = {
      clusters: [...this.#clusters],
      objects: [...this.#objects.values()],
      mesh: this.#mesh,
      statuses: [...this.#statuses],
      gatewayAddresses: [...this.#gatewayAddresses]
    }
    this.#clusters.length = 0
    this.#objects.clear()
    this.#statuses.clear()
    this.#gatewayAddresses.clear()
    this.#mesh = undefined
    return changes
  }

  /** With a cluster go its objects, whatever became of them before. */
  #absorbCluster(id: string, isThere: boolean): void {
    this.#clusters.push([id, isThere])
    if (isThere) return
    for (const [key, { cluster }] of this.#objects) if (cluster === id) this.#objects.delete(key)
  }
}

const keyOf = (change: ObjectChange): string => {
  const { kind, name, namespace } =
    change.change === "delete" ? change.identity : { kind: change.typed.kind, ...change.typed.object.meta }
  return `${change.cluster}|${kind}|${namespace}/${name}`
}
