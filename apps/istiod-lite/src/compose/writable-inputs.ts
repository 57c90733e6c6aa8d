import type { Graph, Source } from "@istiod-lite/collections"
import { type MeshConfigValue, meshKey, ObjectStore } from "@istiod-lite/model"
import type { InputChanges, Inputs, StatusAddresses } from "./inputs.ts"

/** Inputs that are written by code: of a copy, or of a recording that is played back. */
export class WritableInputs implements Inputs {
  readonly source: ObjectStore
  readonly mesh: Source<MeshConfigValue>
  readonly statuses: Source<StatusAddresses> | undefined
  readonly gatewayAddresses: Source<ReadonlyArray<string>>
  readonly #graph: Graph

  /** @param allocates whether statuses come from an allocator rather than from the objects themselves */
  constructor(graph: Graph, configCluster: string, allocates: boolean) {
    this.#graph = graph
    this.mesh = graph.source<MeshConfigValue>("mesh", { equals: sameJson })
    this.source = new ObjectStore(graph, configCluster, this.mesh)
    this.statuses = allocates
      ? graph.source<StatusAddresses>("ServiceEntry statuses", { equals: sameJson })
      : undefined
    this.gatewayAddresses = graph.source<ReadonlyArray<string>>("gateway addresses", { equals: sameJson })
  }

  /** Brings the changes about in one transaction. */
  apply({ clusters, gatewayAddresses, mesh, objects, statuses }: InputChanges): void {
    this.#graph.transaction(() => {
      for (const [id, isThere] of clusters) {
        if (isThere) this.source.markSynced(id)
        else this.source.removeCluster(id)
      }
      if (mesh !== undefined) this.mesh.set(meshKey, mesh)
      for (const change of objects) {
        if (change.change === "put") this.source.put(change.cluster, change.typed)
        else this.source.delete(change.cluster, change.identity)
      }
      if (this.statuses !== undefined) write(this.statuses, statuses)
      write(this.gatewayAddresses, gatewayAddresses)
    })
  }
}

const write = <V>(to: Source<V>, entries: ReadonlyArray<readonly [string, V | undefined]>): void => {
  for (const [key, value] of entries) {
    if (value === undefined) to.delete(key)
    else to.set(key, value)
  }
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
