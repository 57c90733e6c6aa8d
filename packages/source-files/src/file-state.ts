import { fileFault, type ManifestFault } from "./manifest-fault.ts"
import type { ManifestObject, Reading } from "./read-document.ts"

/** What became of one file of a cluster. */
export type FileChange = { readonly cluster: string; readonly file: string } & (
  | { readonly change: "read"; readonly reading: Reading }
  /** it is there, but could not be read */
  | { readonly change: "unreadable"; readonly fault: ManifestFault }
  | { readonly change: "gone" }
)

/** A file as it counts: its good objects by key, in their last good state, and its faults. */
export interface FileState {
  readonly cluster: string
  readonly file: string
  readonly objects: ReadonlyMap<string, ManifestObject>
  readonly faults: ReadonlyArray<ManifestFault>
}

/** A file after a change; undefined when it is gone. What is faulty now keeps its state of `before`. */
export const nextFileState = (before: FileState | undefined, change: FileChange): FileState | undefined => {
  if (change.change === "gone") return undefined
  const { cluster, file } = change
  const last = before?.objects ?? new Map<string, ManifestObject>()
  if (change.change === "unreadable") return { cluster, file, objects: last, faults: [change.fault] }
  const { complete, faults: found, objects: declared, rejected } = change.reading
  const objects = new Map<string, ManifestObject>()
  const faults: Array<ManifestFault> = found.map((fault) => ({ ...fault, cluster, file }))
  for (const object of declared) {
    const first = objects.get(object.key)
    if (first === undefined) objects.set(object.key, object)
    else faults.push(duplicateFault(cluster, file, object, `${file}:${first.line}`))
  }
  // Where something could not even be recognised, it may be any of the objects that are missing now.
  for (const key of complete ? rejected : last.keys()) {
    const object = last.get(key)
    if (object !== undefined && !objects.has(key)) objects.set(key, object)
  }
  return { cluster, file, objects, faults: shorten(faults) }
}

/** Of one file: noise should not fill the log. */
const maxFaults = 100

const shorten = (faults: ReadonlyArray<ManifestFault>): ReadonlyArray<ManifestFault> => {
  const [last] = faults.slice(maxFaults)
  if (last === undefined) return faults
  const rest = {
    ...last,
    object: "file",
    path: "",
    received: "",
    reason: `${faults.length - maxFaults} more faults`
  }
  return [...faults.slice(0, maxFaults), { ...rest, remedy: "correct the ones above first" }]
}

/** Says that another place declares the object already, and counts. */
export const duplicateFault = (
  cluster: string,
  file: string,
  { key, line }: ManifestObject,
  first: string
): ManifestFault =>
  fileFault(cluster, file, {
    line,
    object: key.replace("/", " ").replace(/ \//, " "),
    reason: `declared at ${first} already, which counts`,
    remedy: "keep one of the two"
  })
