import { Context } from "effect"
import type { ClusterStatus } from "./cluster-status.ts"

/** How the clusters behind the objects are followed: what `istiod-lite clusters` shows. */
export class KubeClusters extends Context.Service<
  KubeClusters,
  {
    /** the configuration cluster first, the others by their ids */
    readonly statuses: () => ReadonlyArray<ClusterStatus>
  }
>()("@istiod-lite/source-kube/KubeClusters") {}
