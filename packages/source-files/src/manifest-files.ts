import { buffer } from "node:stream/consumers"
import type { FileChange } from "./file-state.ts"
import { fileFault, type ManifestFault } from "./manifest-fault.ts"
import { decodeText, type FileText, readFileText } from "./read-file-text.ts"
import { type ManifestReading, readManifest } from "./read-manifest.ts"
import { type Scan, scanFolder } from "./scan-folder.ts"

/** A path that the user named, and the cluster that its objects belong to. */
export interface ManifestRoot {
  readonly cluster: string
  /** file or folder; `-` is standard input, which is read once */
  readonly path: string
  /** whether its absence means the absence of its cluster, rather than a mistake */
  readonly mayBeAbsent: boolean
}

/** What has changed in the file system since the last time. */
export interface Refresh {
  readonly changes: ReadonlyArray<FileChange>
  /** clusters of which some path is there, or must be */
  readonly present: ReadonlySet<string>
  /** faults of the paths themselves, all that there are now */
  readonly faults: ReadonlyArray<ManifestFault>
  /** a file was being written: look again */
  readonly unstable: boolean
}

interface KnownFile {
  readonly root: ManifestRoot
  readonly file: string
  readonly stamp: string | undefined
  readonly reading: ManifestReading | undefined
}

/** The manifest files under some paths: looks at them and tells what has changed. */
export class ManifestFiles {
  readonly #roots: ReadonlyArray<ManifestRoot>
  readonly #known = new Map<string, KnownFile>()

  readonly #readStdin: () => Promise<Uint8Array>

  constructor(
    roots: ReadonlyArray<ManifestRoot>,
    readStdin: () => Promise<Uint8Array> = () => buffer(process.stdin)
  ) {
    this.#roots = roots
    this.#readStdin = readStdin
  }

  /** Looks at everything; reads only files whose stamp has changed. Never rejects: what goes wrong is a fault. */
  async refresh(): Promise<Refresh> {
    const refreshes: Array<Refresh> = []
    for (const root of this.#roots) {
      const scan = root.path === stdin ? { files: [stdin], unreadable: [] } : await scanFolder(root.path)
      refreshes.push(await this.#refreshRoot(root, scan))
    }
    const present = new Set(refreshes.flatMap((it) => [...it.present]))
    // The files of an absent cluster go with it.
    for (const [id, { root }] of this.#known) if (!present.has(root.cluster)) this.#known.delete(id)
    return {
      changes: refreshes.flatMap((it) => it.changes).filter((it) => present.has(it.cluster)),
      present,
      faults: refreshes.flatMap((it) => it.faults),
      unstable: refreshes.some((it) => it.unstable)
    }
  }

  async #refreshRoot(root: ManifestRoot, scan: Scan | "missing"): Promise<Refresh> {
    if (scan === "missing") return this.#missing(root)
    const changes: Array<FileChange> = []
    let unstable = false
    for (const file of scan.files) {
      const change = await this.#refreshFile(root, file)
      if (change === "unstable") unstable = true
      else if (change !== undefined) changes.push(change)
    }
    changes.push(...this.#gone(root, scan))
    const faults = scan.unreadable.map(({ path, ...problem }) => fileFault(root.cluster, path, problem))
    return { changes, present: new Set([root.cluster]), faults, unstable }
  }

  async #refreshFile(root: ManifestRoot, file: string): Promise<FileChange | "unstable" | undefined> {
    const { cluster } = root
    const id = knownId(root, file)
    const known = this.#known.get(id)
    const content = await this.#read(file, known?.stamp)
    if (content.outcome === "unchanged") return undefined
    if (content.outcome === "unstable") return "unstable"
    if (content.outcome === "unreadable") {
      this.#known.set(id, { root, file, stamp: undefined, reading: known?.reading })
      return { cluster, file, change: "unreadable", fault: fileFault(cluster, file, content) }
    }
    const reading = readManifest(content.text, known?.reading)
    this.#known.set(id, { root, file, stamp: content.stamp, reading })
    return { cluster, file, change: "read", reading }
  }

  async #read(file: string, stamp: string | undefined): Promise<FileText> {
    if (file !== stdin) return readFileText(file, stamp)
    if (stamp !== undefined) return { outcome: "unchanged" }
    const text = decodeText(await this.#readStdin())
    return text === undefined
      ? { outcome: "unreadable", reason: "not a text in UTF-8", remedy: "give manifests on standard input" }
      : { outcome: "text", stamp: stdin, text }
  }

  #gone(root: ManifestRoot, scan: Scan): ReadonlyArray<FileChange> {
    const there = new Set(scan.files)
    const hidden = (file: string): boolean =>
      scan.unreadable.some(({ path }) => file === path || file.startsWith(`${path}/`))
    const gone = [...this.#known].filter(
      ([, known]) => known.root === root && !there.has(known.file) && !hidden(known.file)
    )
    for (const [id] of gone) this.#known.delete(id)
    return gone.map(([, { file }]) => ({ cluster: root.cluster, file, change: "gone" }))
  }

  /** A path that may be absent takes its files with it; any other keeps their last state, and is a fault. */
  #missing(root: ManifestRoot): Refresh {
    const { cluster, path } = root
    const problem = root.mayBeAbsent
      ? { reason: "does not exist, so the cluster is absent", severity: "info" as const }
      : { reason: "no such file or folder" }
    return {
      changes: root.mayBeAbsent ? this.#gone(root, { files: [], unreadable: [] }) : [],
      present: new Set(root.mayBeAbsent ? [] : [cluster]),
      faults: [fileFault(cluster, path, { remedy: "correct the path, or create it", ...problem })],
      unstable: false
    }
  }
}

/** Names standard input, as a path and in faults. */
const stdin = "-"

const knownId = (root: ManifestRoot, file: string): string => `${root.cluster}\n${root.path}\n${file}`
