import type { Graph, Source } from "@istiod-lite/collections"
import { type MeshConfigValue, meshKey, ObjectStore } from "@istiod-lite/model"
import { Catalog } from "./catalog.ts"
import type { ManifestFault } from "./manifest-fault.ts"
import { ManifestFiles, type Refresh } from "./manifest-files.ts"
import { type MeshFileOptions, MeshFiles } from "./mesh-files.ts"
import { unreadableClusters } from "./unreadable.ts"

/** Which files declare objects and settings. */
export interface FileCollectionsOptions extends MeshFileOptions {
  /** files or folders with the objects of the configuration cluster; `-` is standard input, read once */
  readonly manifests: ReadonlyArray<string>
  /** objects of further clusters; a cluster is there while its path is */
  readonly clusters?: ReadonlyArray<{ readonly id: string; readonly path: string }> | undefined
  /** Default: `Kubernetes`. */
  readonly configCluster?: string | undefined
}

/** The collections of a file source, and what fills them. */
export class FileCollections {
  readonly paths: ReadonlyArray<string>
  readonly store: ObjectStore
  readonly mesh: Source<MeshConfigValue>
  readonly faults: Source<ReadonlyArray<ManifestFault>>
  readonly #graph: Graph
  readonly #catalog = new Catalog()
  readonly #files: ManifestFiles
  readonly #meshFiles: MeshFiles
  #clusters: ReadonlySet<string> = new Set()

  constructor(graph: Graph, options: FileCollectionsOptions) {
    const { clusters = [], configCluster = "Kubernetes", manifests, meshConfig, meshNetworks } = options
    const roots = [
      ...manifests.map((path) => ({ cluster: configCluster, path, mayBeAbsent: false })),
      ...clusters.map(({ id, path }) => ({ cluster: id, path, mayBeAbsent: true }))
    ]
    this.paths = [...roots.map((root) => root.path), meshConfig, meshNetworks].filter(
      (path): path is string => path !== undefined && path !== "-"
    )
    this.mesh = graph.source<MeshConfigValue>("mesh", { equals: sameJson })
    this.store = new ObjectStore(graph, configCluster, this.mesh)
    this.faults = graph.source<ReadonlyArray<ManifestFault>>("source-faults", { equals: sameJson })
    this.#graph = graph
    this.#files = new ManifestFiles(roots)
    this.#meshFiles = new MeshFiles(options)
  }

  /**
   * Reads what has changed and writes it in one transaction; true if a file was just being written.
   *
   * @param now epoch milliseconds: what cannot be read is stale from then on
   */
  async refresh(now: number): Promise<boolean> {
    const [files, mesh] = await Promise.all([this.#files.refresh(), this.#meshFiles.refresh()])
    this.#graph.transaction(() => {
      this.mesh.set(meshKey, mesh.value)
      this.#write(files)
      this.#judge(files, now)
      this.faults.replace(byFile([...this.#catalog.faults(), ...files.faults, ...mesh.faults]))
    })
    return files.unstable
  }

  /** Says of each cluster whether it could be read. */
  #judge(files: Refresh, since: number): void {
    const unreadable = unreadableClusters(files)
    for (const id of this.#clusters) {
      const because = unreadable.get(id)
      if (because === undefined) this.store.markFresh(id)
      else this.store.markStale(id, { since, because })
    }
  }

  #write({ changes, present }: Refresh): void {
    const clusters = new Set([this.store.configCluster, ...present])
    for (const id of this.#clusters) {
      if (clusters.has(id)) continue
      this.#catalog.removeCluster(id)
      this.store.removeCluster(id)
    }
    this.#clusters = clusters
    for (const id of clusters) this.store.markSynced(id)
    for (const write of this.#catalog.apply(changes)) {
      if (write.write === "put") this.store.put(write.cluster, write.typed, write.resourceVersion)
      else this.store.delete(write.cluster, write.identity)
    }
  }
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const byFile = (
  faults: ReadonlyArray<ManifestFault>
): ReadonlyArray<readonly [string, ReadonlyArray<ManifestFault>]> => [
  ...Map.groupBy(faults, (fault) => fault.file)
]
