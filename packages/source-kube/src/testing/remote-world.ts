import { Graph } from "@istiod-lite/collections"
import { type ClusterStatus, ObjectStore } from "@istiod-lite/model"
import { Effect } from "effect"
import type { ClusterSecret, NamedCluster } from "../cluster-secrets.ts"
import { KubeConfigError } from "../kube-config-error.ts"
import { makeRemoteClusters, type RemoteClustersOptions } from "../remote-clusters.ts"
import { FakeApi } from "./fake-api.ts"
import { FakeKubeClient } from "./fake-kube-client.ts"

/** A client that was made of a secret. */
interface Connected {
  readonly cluster: string
  readonly kubeconfig: string
  readonly client: FakeKubeClient
  isClosed: boolean
}

/** A secret for each cluster; a kubeconfig is any text here, and `broken` is none. */
export const secretOf = (name: string, clusters: Readonly<Record<string, string>>): ClusterSecret => ({
  metadata: { name, namespace: "istio-system" },
  data: Object.fromEntries(
    Object.entries(clusters).map(([id, text]) => [id, Buffer.from(text).toString("base64")])
  )
})

type Prepare = (client: FakeKubeClient, named: NamedCluster) => void
const leaveAsIs: Prepare = () => undefined

/** API servers of several clusters without a network, followed by secrets. */
export const makeRemoteWorld = Effect.fnUntraced(function* (options: Partial<RemoteClustersOptions> = {}) {
  const graph = new Graph()
  const store = new ObjectStore(graph, "home")
  const apis = new Map<string, FakeApi>()
  const connected: Array<Connected> = []
  let prepare = leaveAsIs
  const apiOf = (cluster: string): FakeApi => {
    const api = apis.get(cluster) ?? new FakeApi()
    apis.set(cluster, api)
    return api
  }
  const connect: RemoteClustersOptions["connect"] = (named) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const { cluster, kubeconfig, secret } = named
        if (kubeconfig === "broken") {
          const subject = `the kubeconfig in secret ${secret}`
          return Effect.fail(new KubeConfigError({ subject, reason: "it is broken", remedy: "" }))
        }
        const client = new FakeKubeClient(apiOf(cluster))
        prepare(client, named)
        const one: Connected = { cluster, kubeconfig, client, isClosed: false }
        connected.push(one)
        return Effect.succeed(one)
      }),
      (one) => Effect.sync(() => (one.isClosed = true))
    ).pipe(Effect.map(({ client }) => client))
  const remote = yield* makeRemoteClusters({ graph, store, connect, ...options })
  return {
    graph,
    store,
    connected,
    apiOf,
    set: (...secrets: ReadonlyArray<ClusterSecret>) => remote.set(secrets),
    statusOf: (cluster: string): ClusterStatus | undefined =>
      remote.statuses().find((status) => status.cluster === cluster),
    statuses: remote.statuses,
    clientOf: remote.clientOf,
    /** What is done with each client before it is used. */
    prepareClients: (now: Prepare) => {
      prepare = now
    },
    /** names of the pods that are held of a cluster, sorted */
    pods: (cluster: string): ReadonlyArray<string> =>
      [...(store.clusters.get(cluster)?.objects.Pod.values() ?? [])].map(({ meta }) => meta.name).toSorted()
  }
})
