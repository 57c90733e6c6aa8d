import {
  decodeMeshConfig,
  decodeMeshNetworks,
  defaultMeshConfig,
  type MeshConfigValue,
  type ObjectFault
} from "@istiod-lite/model"
import { fileFault, type ManifestFault } from "./manifest-fault.ts"
import { parseDocument } from "./parse-document.ts"
import { readFileText } from "./read-file-text.ts"

/** Files of the mesh's settings. */
export interface MeshFileOptions {
  /** path of Istio's MeshConfig */
  readonly meshConfig?: string | undefined
  /** path of Istio's mesh networks settings */
  readonly meshNetworks?: string | undefined
  /** what the files do not say; Istio's defaults for what is left out */
  readonly meshDefaults?: Partial<MeshConfigValue> | undefined
}

/** Reads a document over the settings so far. */
type Decode = (
  raw: unknown,
  base: MeshConfigValue
) => { readonly value: MeshConfigValue; readonly faults: ReadonlyArray<ObjectFault> }

const decodeNetworks: Decode = (raw, base) => {
  const { faults, value } = decodeMeshNetworks(raw)
  return { value: { ...base, networks: value }, faults }
}

/** The mesh configuration as its files say. */
export class MeshFiles {
  readonly #files: ReadonlyArray<SettingsFile>
  readonly #defaults: MeshConfigValue

  constructor({ meshConfig, meshDefaults, meshNetworks }: MeshFileOptions) {
    this.#defaults = { ...defaultMeshConfig, ...meshDefaults }
    this.#files = [
      ...(meshConfig === undefined ? [] : [new SettingsFile(meshConfig, decodeMeshConfig)]),
      ...(meshNetworks === undefined ? [] : [new SettingsFile(meshNetworks, decodeNetworks)])
    ]
  }

  /** Reads files that have changed. Never rejects: a faulty file keeps its last good state, and is a fault. */
  async refresh(): Promise<{
    readonly value: MeshConfigValue
    readonly faults: ReadonlyArray<ManifestFault>
  }> {
    let value = this.#defaults
    for (const file of this.#files) {
      await file.refresh(value)
      value = file.over(value)
    }
    return { value, faults: this.#files.flatMap((file) => file.faults) }
  }
}

/** One file of settings. */
class SettingsFile {
  faults: ReadonlyArray<ManifestFault> = []
  readonly #path: string
  readonly #decode: Decode
  #stamp: string | undefined
  /** the last document without errors */
  #raw: unknown

  constructor(path: string, decode: Decode) {
    this.#path = path
    this.#decode = decode
  }

  over(base: MeshConfigValue): MeshConfigValue {
    return this.#decode(this.#raw, base).value
  }

  async refresh(base: MeshConfigValue): Promise<void> {
    const content = await readFileText(this.#path, this.#stamp)
    if (content.outcome === "unchanged" || content.outcome === "unstable") return
    this.#stamp = content.outcome === "text" ? content.stamp : undefined
    this.faults = content.outcome === "text" ? this.#read(content.text, base) : [this.#fault(content)]
  }

  #read(text: string, base: MeshConfigValue): ReadonlyArray<ManifestFault> {
    const parsed = parseDocument(text)
    if (parsed.outcome === "error") return [this.#fault(parsed)]
    const raw = parsed.outcome === "empty" ? undefined : parsed.raw
    const { faults } = this.#decode(raw, base)
    if (!faults.some((fault) => fault.severity === "error")) this.#raw = raw
    const lineOf = parsed.outcome === "empty" ? () => 1 : parsed.lineOf
    return faults.map((fault) => this.#fault({ ...fault, line: lineOf(fault.path) }))
  }

  #fault(fault: Parameters<typeof fileFault>[2]): ManifestFault {
    return fileFault("", this.#path, fault)
  }
}
