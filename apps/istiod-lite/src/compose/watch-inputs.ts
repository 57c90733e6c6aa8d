import type { Change, Collection, Graph } from "@istiod-lite/collections"
import { type ClusterObjects, type Kind, meshKey, type Objects } from "@istiod-lite/model"
import { GatheredChanges } from "./gathered-changes.ts"
import {
  type InputChanges,
  type Inputs,
  kindsOf,
  type ObjectChange,
  objectsOf,
  type SomeObjects,
  typedObject
} from "./inputs.ts"

/**
 * Calls `listener` once after each transaction that changed inputs, with what it changed. The listener runs within the
 * transaction: it should note the changes, not work on them. The result ends it.
 */
export const watchInputs = (
  graph: Graph,
  { gatewayAddresses, mesh, source, statuses }: Inputs,
  listener: (changes: InputChanges) => void
): (() => void) => {
  const gathered = new GatheredChanges()
  const watchObjects = (cluster: string, collections: SomeObjects): (() => void) =>
    together(
      kindsOf(collections).map(([kind, collection]) =>
        collection.subscribe((changes) =>
          gathered.absorb({ objects: changes.map((change) => objectChange(cluster, kind, change)) })
        )
      )
    )
  const clusters = new Map<string, () => void>()
  const followCluster = ({ key: id, now, old }: Change<ClusterObjects>): void => {
    clusters.get(id)?.()
    clusters.delete(id)
    if (old !== undefined) gathered.absorb({ clusters: [[id, false]] })
    // Istio's objects go with their cluster; those that came back with it are the same, so nobody tells them.
    if (id === source.configCluster) gathered.absorb({ objects: objectsOf(id, source.config) })
    if (now === undefined) return
    clusters.set(id, watchObjects(id, now.objects))
    // What came with it in the same transaction has not been listened for.
    gathered.absorb({ clusters: [[id, true]], objects: objectsOf(id, now.objects) })
  }

  for (const [id, { objects }] of source.clusters.entries()) clusters.set(id, watchObjects(id, objects))
  const unsubscribe = together([
    source.clusters.subscribe((changes) => changes.forEach(followCluster)),
    watchObjects(source.configCluster, source.config),
    mesh.subscribe(() => gathered.absorb({ mesh: mesh.get(meshKey) })),
    follow(statuses, (changes) => gathered.absorb({ statuses: changes })),
    follow(gatewayAddresses, (changes) => gathered.absorb({ gatewayAddresses: changes })),
    graph.onCommit(() => {
      if (!gathered.isEmpty) listener(gathered.take())
    })
  ])
  return () => {
    unsubscribe()
    for (const end of clusters.values()) end()
  }
}

const objectChange = (cluster: string, kind: Kind, { key, now }: Change<Objects[Kind]>): ObjectChange => {
  if (now !== undefined) return { cluster, change: "put", typed: typedObject(kind, now) }
  const [namespace = "", name = ""] = key.split("/")
  return { cluster, change: "delete", identity: { kind, namespace, name } }
}

const follow = <V>(
  collection: Collection<V> | undefined,
  listener: (entries: ReadonlyArray<readonly [string, V | undefined]>) => void
): (() => void) =>
  collection?.subscribe((changes) => listener(changes.map(({ key, now }) => [key, now]))) ?? (() => undefined)

const together =
  (ends: ReadonlyArray<() => void>): (() => void) =>
  () => {
    for (const end of ends) end()
  }
