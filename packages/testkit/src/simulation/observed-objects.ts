import {
  decodeObject,
  defaultMeshConfig,
  formatFault,
  isIstioKind,
  type MeshConfigValue,
  objectKey,
  type ObjectIdentity,
  type ObjectStore,
  type TypedObject
} from "@istiod-lite/model"
import { configCluster, type Manifest, type SimulatedEvent } from "./history.ts"

type Objects = Map<string, TypedObject>

const idOf = ({ kind, ...names }: ObjectIdentity): string => `${kind}/${objectKey(names)}`

/** A manifest as an object. Throws if it has faults: a simulation's objects should be right. */
export const decoded = (manifest: Manifest): TypedObject => {
  const result = decodeObject(manifest)
  if (result.outcome !== "object") throw new Error(result.faults.map(formatFault).join("\n"))
  return result
}

/**
 * What exists after the events so far: what a control plane that starts now would find. Says nothing of what is
 * derived from it.
 */
export class ObservedObjects {
  readonly clusters = new Map<string, Objects>()
  mesh: Partial<MeshConfigValue> = {}

  /** The mesh configuration as a whole. */
  get meshConfig(): MeshConfigValue {
    return { ...defaultMeshConfig, ...this.mesh }
  }

  take(event: SimulatedEvent): void {
    switch (event.action) {
      case "apply": {
        this.#add(event.cluster, decoded(event.manifest))
        return
      }
      case "delete": {
        this.clusters.get(event.cluster)?.delete(idOf(event.identity))
        return
      }
      case "removeCluster": {
        this.clusters.delete(event.cluster)
        return
      }
      case "replaceCluster": {
        if (!this.clusters.has(event.cluster)) return
        this.clusters.set(event.cluster, new Map())
        for (const manifest of event.manifests) this.#add(event.cluster, decoded(manifest))
        return
      }
      case "configure": {
        this.mesh = event.mesh
        return
      }
      case "relist":
    }
  }

  /** Writes all there is of a cluster into a store, the last first. */
  writeCluster(store: ObjectStore, cluster: string): void {
    const objects = this.clusters.get(cluster)
    if (objects === undefined) return
    store.markSynced(cluster)
    for (const object of [...objects.values()].toReversed()) store.put(cluster, object)
  }

  /** Writes all there is into a store. */
  writeInto(store: ObjectStore): void {
    for (const cluster of this.clusters.keys()) this.writeCluster(store, cluster)
  }

  #add(cluster: string, object: TypedObject): void {
    const known = this.clusters.get(cluster)
    const objects: Objects = known ?? new Map()
    if (known === undefined) this.clusters.set(cluster, objects)
    if (cluster === configCluster || !isIstioKind(object.kind)) {
      const { name, namespace } = object.object.meta
      objects.set(idOf({ kind: object.kind, namespace, name }), object)
    }
  }
}
