import { compareText, formatFault, type ObjectFault } from "@istiod-lite/model"

/** A fault with its place. */
export interface ManifestFault extends ObjectFault {
  readonly cluster: string
  /** as the user named it, or below the folder that the user named */
  readonly file: string
  /** counted from 1; undefined where the fault has no line */
  readonly line: number | undefined
}

/** `shop.yaml:12: Cannot read ServiceEntry shop/ext: …` */
export const formatManifestFault = (fault: ManifestFault): string =>
  `${fault.file}${fault.line === undefined ? "" : `:${fault.line}`}: ${formatFault(fault)}`

/** A fault of a file or folder as a whole, before there is an object. */
export const fileFault = (
  cluster: string,
  file: string,
  fault: Pick<ObjectFault, "reason" | "remedy"> & Partial<ManifestFault>
): ManifestFault => ({
  cluster,
  file,
  line: undefined,
  object: "file",
  path: "",
  received: "",
  severity: "error",
  ...fault
})

/** By file, then by line. */
export const compareByPlace = (a: ManifestFault, b: ManifestFault): number =>
  compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0)
