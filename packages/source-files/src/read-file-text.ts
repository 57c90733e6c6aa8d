import { type BigIntStats, constants } from "node:fs"
import { open } from "node:fs/promises"
import { type FileProblem, problemOf } from "./file-error.ts"

/** The content of a file, with a stamp that changes whenever the content may have changed. */
export type FileText =
  | { readonly outcome: "text"; readonly stamp: string; readonly text: string }
  | { readonly outcome: "unchanged" }
  /** somebody writes it at this moment */
  | { readonly outcome: "unstable" }
  | ({ readonly outcome: "unreadable" } & FileProblem)

/** Manifests of 10,000 pods have some 10 MB; a file beyond this is no manifest. */
const longestFile = 100_000_000n

/** Reads a text file, unless its stamp is still `known`. */
export const readFileText = async (path: string, known: string | undefined): Promise<FileText> => {
  try {
    // A pipe would block until somebody writes to it; read-only and non-blocking, it is opened and found to be one.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const before = await file.stat({ bigint: true })
    const stamp = stampOf(before)
    if (stamp === known) return { outcome: "unchanged" }
    if (!before.isFile()) return unreadable("not a file", "name a manifest, or a folder of them")
    if (before.size > longestFile) return unreadable(`too large (${before.size / 1_000_000n} MB)`, "split it")
    const bytes = await file.readFile()
    if (stampOf(await file.stat({ bigint: true })) !== stamp) return { outcome: "unstable" }
    const text = decodeText(bytes)
    return text === undefined
      ? unreadable("not a text in UTF-8", "save it as UTF-8, or move it out of the folder")
      : { outcome: "text", stamp, text }
  } catch (error) {
    return { outcome: "unreadable", ...problemOf(error) }
  }
}

const stampOf = (stats: BigIntStats): string =>
  [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":")

const unreadable = (reason: string, remedy: string): FileText => ({ outcome: "unreadable", reason, remedy })

/** Undefined for what is no text: bytes that are not UTF-8, or a NUL among them. */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
