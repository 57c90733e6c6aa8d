import type { Graph } from "@istiod-lite/collections"
import {
  type ClusterStatus,
  isIstioKind,
  type Kind,
  kinds as allKinds,
  type ObjectStore
} from "@istiod-lite/model"
import { Clock, Deferred, Effect, FiberSet, type Scope } from "effect"
import { FollowedCluster } from "./followed-cluster.ts"
import { KindFeed } from "./kind-feed.ts"
import type { KubeClient } from "./kube-client.ts"
import { makeProtobufLists } from "./protobuf/protobuf-lists.ts"
import { isMultiCluster, resourceName, resourceOf, resourcePath } from "./kube-resource.ts"
import { reflect, type ReflectorOptions } from "./reflector.ts"

/** Which cluster is followed, and where its objects go. */
export interface ClusterSourceOptions {
  readonly client: KubeClient
  readonly cluster: string
  readonly graph: Graph
  readonly store: ObjectStore
  /** Default: all that the cluster counts for: Istio's objects only of the configuration cluster. */
  readonly kinds?: ReadonlyArray<Kind>
  /** Which kinds of Multi-Cluster Services are read, an API that few servers have. Default: none. */
  readonly multiClusterKinds?: ReadonlyArray<Kind>
  /** how each kind is read */
  readonly reflector?: Partial<Pick<ReflectorOptions, "backoff" | "inactivity" | "pageSize" | "refusedPause">>
  /** what lists of a kind are asked for as, and how they are read; default: in protobuf, where servers have it */
  readonly lists?: (kind: Kind) => ReflectorOptions["lists"]
  /** The first complete state is applied after this: what objects are read with may have to be there before. Default: at once. */
  readonly after?: Effect.Effect<void>
  /** Called when the state of a kind or of the cluster has changed. */
  readonly onChange?: () => void
  /** Called once, when the first complete state has been applied. */
  readonly onSynced?: () => void
}

/** What a followed cluster tells of itself. */
export interface ClusterSource {
  readonly status: () => ClusterStatus
  /** Nothing is written any more from now on; the scope ends what is under way. */
  readonly stop: () => void
}

/**
 * Reads the objects of a cluster and follows them for as long as the scope lives. The first complete state takes the
 * place of what the store holds of the cluster in one transaction, so a cluster that is followed anew never shows a gap
 * (S-42); from then on what comes together is one transaction.
 *
 * A kind that the server does not have, or does not permit to be read, holds nothing up; it is looked for again and
 * again. A watch of CRDs would tell a few seconds earlier, and would need one more permission, for the whole cluster.
 */
export const watchCluster = (
  options: ClusterSourceOptions
): Effect.Effect<ClusterSource, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime()
    const clock = yield* Clock.Clock
    let revival = Deferred.makeUnsafe<void>()
    const revive = (): void => {
      Deferred.doneUnsafe(revival, Effect.void)
      revival = Deferred.makeUnsafe()
    }
    const { after, client, cluster, graph, kinds = kindsOf(options), onChange, onSynced, store } = options
    let mayApply = after === undefined
    const followed = new FollowedCluster({
      cluster,
      server: client.server,
      kinds,
      graph,
      store,
      fork,
      now: () => clock.currentTimeMillisUnsafe(),
      mayApply: () => mayApply,
      onRevival: revive,
      onSynced: () => onSynced?.(),
      onChange: () => onChange?.()
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => followed.end()))
    const apply = Effect.sync(() => {
      mayApply = true
      followed.goOn()
    })
    if (after !== undefined) yield* Effect.forkScoped(Effect.andThen(after, apply))
    const listsOf = options.lists ?? makeProtobufLists()
    yield* Effect.forEach(
      kinds,
      (kind) => {
        const resource = resourceOf(kind)
        const name = resourceName(resource)
        const path = resourcePath(resource)
        const lists = listsOf(kind)
        const source = {
          client,
          name,
          path,
          sooner: () => Deferred.await(revival),
          ...options.reflector,
          ...(lists === undefined ? {} : { lists })
        }
        return Effect.forkScoped(reflect(source, new KindFeed(resource, followed)))
      },
      { discard: true }
    )
    return { status: () => followed.status(), stop: () => followed.end() }
  })

const kindsOf = ({ cluster, multiClusterKinds = [], store }: ClusterSourceOptions): ReadonlyArray<Kind> =>
  allKinds.filter(
    (kind) =>
      (cluster === store.configCluster || !isIstioKind(kind)) &&
      (!isMultiCluster(kind) || multiClusterKinds.includes(kind))
  )
