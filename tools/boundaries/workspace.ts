import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join, matchesGlob } from "node:path"

type Names = Readonly<Record<string, string>>

/** What the check reads of a package.json. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, string | null>>
  readonly dependencies?: Names
  readonly devDependencies?: Names
  readonly peerDependencies?: Names
  readonly optionalDependencies?: Names
}

/** A package or an app. */
export interface Member {
  /** Folder below the root, such as `packages/model`. */
  readonly dir: string
  /** What the `boundaries` table calls it: the package's folder name, or `app`. */
  readonly unit: string
  readonly manifest: Manifest
  /** Names of what the code that ships may import: every kind of dependency but devDependencies. */
  readonly runtime: ReadonlySet<string>
  /** Units that the `boundaries` table lets it see; `*` is every unit. */
  readonly allowed: ReadonlyArray<string>
  /** How many rows of the table match it; anything but one is a fault of the table. */
  readonly rows: number
}

/** All members, and the names of the root's devDependencies, which every test may use. */
export interface Workspace {
  readonly rootDir: string
  readonly members: ReadonlyArray<Member>
  readonly byName: ReadonlyMap<string, Member>
  readonly rootDev: ReadonlySet<string>
}

/** Parses a JSON file. */
export const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"))

/** Reads the workspace at a folder, with the `boundaries` table of its package.json. */
export const readWorkspace = (rootDir: string): Workspace => {
  const root = readJson(join(rootDir, "package.json")) as Manifest & {
    readonly boundaries: Readonly<Record<string, ReadonlyArray<string>>>
  }
  const members = globSync("{packages,apps}/*/package.json", { cwd: rootDir }).map((path): Member => {
    const dir = dirname(path)
    const unit = dir.startsWith("apps/") ? "app" : basename(dir)
    const manifest = readJson(join(rootDir, path)) as Manifest
    const rows = Object.entries(root.boundaries).filter(([key]) => matchesGlob(unit, key))
    const { dependencies, peerDependencies, optionalDependencies } = manifest
    return {
      dir,
      unit,
      manifest,
      runtime: new Set(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })),
      allowed: rows.flatMap(([, targets]) => targets),
      rows: rows.length
    }
  })
  return {
    rootDir,
    members,
    byName: new Map(members.map((m) => [m.manifest.name, m])),
    rootDev: new Set(Object.keys(root.devDependencies ?? {}))
  }
}

/** May the code of `member` that ships see `target`? */
export const maySee = (member: Member, target: Member): boolean =>
  target === member || member.allowed.some((key) => key === "*" || matchesGlob(target.unit, key))

/** Neither an app nor the testkit: what a user composes, so it must not drag test code along. */
export const isLibrary = (member: Member): boolean => member.unit !== "app" && member.unit !== "testkit"
