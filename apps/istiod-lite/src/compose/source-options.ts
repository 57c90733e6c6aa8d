import type { AddressMode } from "@istiod-lite/model"
import type { Option } from "effect"

/** The source flags as they were given. */
export interface SourceOptions {
  readonly manifests: ReadonlyArray<string>
  readonly clusters: ReadonlyArray<{ readonly id: string; readonly path: string }>
  readonly configCluster: string
  readonly meshConfig: Option.Option<string>
  readonly meshNetworks: Option.Option<string>
  readonly addressMode: AddressMode
  /** keeps the automatic addresses that our own allocator gives, in mode `status` */
  readonly addressState: Option.Option<string>
}

/** Whether any objects were named. */
export const namesObjects = ({ clusters, manifests }: SourceOptions): boolean =>
  manifests.length + clusters.length > 0
