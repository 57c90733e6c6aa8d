import type { Dirent } from "node:fs"
import { readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { codeOf, type FileProblem, problemOf } from "./file-error.ts"

/** What stands under a path that the user named. */
export interface Scan {
  /** manifest files: the path itself, or those below it */
  readonly files: ReadonlyArray<string>
  /** paths below which nothing is known, because they could not be read */
  readonly unreadable: ReadonlyArray<FileProblem & { readonly path: string }>
}

const isManifestName = (name: string): boolean => /\.(ya?ml|json)$/i.test(name)

/** Finds the manifests under a path; `missing` when there is nothing at all at the path. */
export const scanFolder = async (path: string): Promise<Scan | "missing"> => {
  try {
    const stats = await stat(path)
    return stats.isDirectory() ? await scan(path, []) : { files: [path], unreadable: [] }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "missing"
    return { files: [], unreadable: [{ path, ...problemOf(error) }] }
  }
}

/** `above` are the real paths of the folders that led here: a link back to one of them is a circle. */
const scan = async (folder: string, above: ReadonlyArray<string>): Promise<Scan> => {
  try {
    const real = await realpath(folder)
    if (above.includes(real)) return { files: [], unreadable: [{ path: folder, ...circle }] }
    const entries = await readdir(folder, { withFileTypes: true })
    const scans = entries
      .filter((entry) => !entry.name.startsWith("."))
      .map((entry) => scanEntry(join(folder, entry.name), entry, [...above, real]))
    return concat(await Promise.all(scans))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return nothing
    return { files: [], unreadable: [{ path: folder, ...problemOf(error) }] }
  }
}

const circle: FileProblem = {
  reason: "a symbolic link back to a folder above it, which is not followed",
  remedy: "remove the link"
}

type Entry = Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink">

const scanEntry = async (path: string, entry: Entry, above: ReadonlyArray<string>): Promise<Scan> => {
  if (entry.isDirectory()) return scan(path, above)
  if (entry.isFile()) return isManifestName(path) ? { files: [path], unreadable: [] } : nothing
  // Sockets, pipes and devices have no content of their own.
  if (!entry.isSymbolicLink()) return nothing
  try {
    return await scanEntry(path, await stat(path), above)
  } catch (error) {
    // A link that leads nowhere matters only where a manifest may be expected; of one that cannot be followed, what
    // stood there before is kept.
    return isManifestName(path) || codeOf(error) !== "ENOENT"
      ? { files: [], unreadable: [{ path, ...problemOf(error) }] }
      : nothing
  }
}

const nothing: Scan = { files: [], unreadable: [] }

const concat = (scans: ReadonlyArray<Scan>): Scan => ({
  files: scans.flatMap((it) => it.files),
  unreadable: scans.flatMap((it) => it.unreadable)
})
