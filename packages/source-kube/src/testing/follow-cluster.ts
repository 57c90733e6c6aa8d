import { Graph } from "@istiod-lite/collections"
import { type Kind, type Objects, ObjectStore } from "@istiod-lite/model"
import { Effect } from "effect"
import { type ClusterSource, type ClusterSourceOptions, watchCluster } from "../cluster-source.ts"
import type { FakeApi } from "./fake-api.ts"
import { FakeKubeClient } from "./fake-kube-client.ts"

/** The configuration cluster in tests. */
export const cluster = "east"

/** A cluster that is followed, with what tests ask of it. */
export interface Followed {
  readonly client: FakeKubeClient
  readonly graph: Graph
  readonly store: ObjectStore
  readonly source: ClusterSource
  /** names of the objects that are held of a kind, sorted */
  readonly held: (kind: Kind) => ReadonlyArray<string>
  readonly kind: (kind: Kind) => { readonly state: string; readonly problem: string | undefined }
  readonly cut: () => void
}

/** Follows a fake server as the configuration cluster. */
export const followCluster = Effect.fnUntraced(function* (
  api: FakeApi,
  options: Partial<ClusterSourceOptions> = {}
) {
  const { graph = new Graph(), store = new ObjectStore(graph, cluster) } = options
  const client = new FakeKubeClient(api)
  const source = yield* watchCluster({ ...options, client, cluster, graph, store })
  const followed: Followed = {
    client,
    graph,
    store,
    source,
    held: (kind) => [...objectsOf(store, kind)].map(({ meta }) => meta.name).toSorted(),
    kind: (kind) => {
      const status = source.status().kinds.find((one) => one.kind === kind)
      return { state: status?.state ?? "", problem: status?.problem }
    },
    cut: () => {
      for (const watch of client.watches) watch.cut()
    }
  }
  return followed
})

/** What a store holds of a kind of the configuration cluster. */
export const objectsOf = <K extends Kind>(store: ObjectStore, kind: K): Iterable<Objects[K]> => {
  const held: { readonly [Of in Kind]?: { readonly values: () => Iterable<Objects[Of]> } } = {
    ...store.clusters.get(cluster)?.objects,
    ...store.config
  }
  return held[kind]?.values() ?? []
}
