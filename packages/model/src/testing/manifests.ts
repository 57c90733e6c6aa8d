import type { Graph } from "@istiod-lite/collections"
import { decodeObject, type TypedObject } from "../decode/decode-object.ts"
import { formatFault } from "../decode/fault.ts"
import { ObjectStore } from "../object-store.ts"
import type { RegistryChange } from "./registry-contract.ts"

/** The objects of a test, written as manifests into the configuration cluster `Kubernetes`. */
export const objectStore = (graph: Graph): ObjectStore => {
  const store = new ObjectStore(graph, "Kubernetes")
  store.markSynced("Kubernetes")
  return store
}

/** A manifest as a change for the registry contract. Throws when it cannot be read. */
export const manifestChange = (store: ObjectStore, manifest: unknown): RegistryChange => {
  const typed = decoded(manifest)
  const { name, namespace } = typed.object.meta
  return {
    name: `${typed.kind} ${namespace}/${name}`,
    apply: () => store.put(store.configCluster, decoded(manifest)),
    undo: () => store.delete(store.configCluster, { kind: typed.kind, namespace, name })
  }
}

const decoded = (manifest: unknown): TypedObject => {
  const result = decodeObject(manifest)
  if (result.outcome !== "object") throw new Error(result.faults.map(formatFault).join("\n"))
  return result
}
