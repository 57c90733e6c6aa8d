import { Clock, Effect, FiberSet, type Scope } from "effect"
import type { ClusterStatus } from "@istiod-lite/model"
import { type ClusterSecret, clustersOf } from "./cluster-secrets.ts"
import type { KubeClient } from "./kube-client.ts"
import { RemoteCluster, type RemoteClusterOptions } from "./remote-cluster.ts"
import { clientOfSecret } from "./secret-client.ts"

export { remoteClusterTimeouts } from "./remote-cluster.ts"

/** How the clusters that secrets name are followed. */
export interface RemoteClustersOptions extends Omit<RemoteClusterOptions, "connect"> {
  /** Default: a client of what the kubeconfig in the secret says. */
  readonly connect?: RemoteClusterOptions["connect"]
  /** unsafe settings that kubeconfigs in secrets may have, such as `exec`; default none */
  readonly allowedSettings?: ReadonlySet<string>
}

/** The clusters that secrets name, as they come, change and go. */
export interface RemoteClusters {
  /** Takes the secrets as they are now. Returns at once. */
  readonly set: (secrets: Iterable<ClusterSecret>) => void
  /** sorted by the clusters' ids */
  readonly statuses: () => ReadonlyArray<ClusterStatus>
  /** with the credentials by which the cluster is read; undefined while it is not */
  readonly clientOf: (cluster: string) => KubeClient | undefined
}

/**
 * Follows every cluster that a secret names (S-22). A changed secret makes a new connection, which is read aside and then
 * takes the place of the old one in one transaction, so that endpoints never go missing. What fails is told, goes on to
 * be tried, and takes nothing else down.
 */
export const makeRemoteClusters = (
  options: RemoteClustersOptions
): Effect.Effect<RemoteClusters, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime()
    const clock = yield* Clock.Clock
    const context = {
      connect: clientOfSecret(options.allowedSettings),
      ...options,
      fork,
      now: () => clock.currentTimeMillisUnsafe()
    }
    const members = new Map<string, RemoteCluster>()
    let told = ""
    const set: RemoteClusters["set"] = (secrets) => {
      const { clusters, faults } = clustersOf(secrets, options.store.configCluster)
      const text = faults.join(" ")
      if (text !== told && text !== "") fork(Effect.logWarning(text))
      told = text
      for (const [id, member] of members) {
        if (clusters.has(id)) continue
        members.delete(id)
        member.remove()
      }
      for (const [id, named] of clusters) {
        const member = members.get(id) ?? new RemoteCluster(id, context)
        members.set(id, member)
        member.connect(named)
      }
    }
    return {
      set,
      statuses: () => [...members.values()].map((member) => member.status()).toSorted(byId),
      clientOf: (cluster) => members.get(cluster)?.client
    }
  })

const byId = (a: ClusterStatus, b: ClusterStatus): number => (a.cluster < b.cluster ? -1 : 1)
