import {
  decodeMeshConfig,
  decodeMeshNetworks,
  defaultMeshConfig,
  type MeshConfigValue,
  type ObjectFault
} from "@istiod-lite/model"
import { parse } from "yaml"

/** A setting of the ConfigMap that cannot be used, in words. */
export type SettingFault = string

/** Istio's ConfigMap of mesh-wide settings: keys `mesh` and `meshNetworks`, each a YAML document. */
export interface MeshConfigMap {
  readonly data?: Readonly<Record<string, string>>
}

/** The mesh configuration of a ConfigMap that may change: a key that becomes faulty keeps its last good state. */
export class MeshSettings {
  readonly #base: MeshConfigValue
  #mesh: unknown
  #networks: unknown

  constructor(base: Partial<MeshConfigValue> = {}) {
    this.#base = { ...defaultMeshConfig, ...base }
  }

  get value(): MeshConfigValue {
    const { value } = decodeMeshConfig(this.#mesh, this.#base)
    return { ...value, networks: decodeMeshNetworks(this.#networks).value }
  }

  /** Takes the ConfigMap as it is now, undefined if there is none; gives what is wrong with it. */
  read(map: MeshConfigMap | undefined): ReadonlyArray<SettingFault> {
    const mesh = readKey(map, "mesh", (raw) => decodeMeshConfig(raw, this.#base).faults)
    const networks = readKey(map, "meshNetworks", (raw) => decodeMeshNetworks(raw).faults)
    if (mesh.usable) this.#mesh = mesh.raw
    if (networks.usable) this.#networks = networks.raw
    return [...mesh.faults, ...networks.faults]
  }
}

interface Read {
  readonly usable: boolean
  readonly raw: unknown
  readonly faults: ReadonlyArray<SettingFault>
}

const readKey = (
  map: MeshConfigMap | undefined,
  key: string,
  faultsOf: (raw: unknown) => ReadonlyArray<ObjectFault>
): Read => {
  let raw: unknown
  try {
    raw = parse(map?.data?.[key] ?? "") ?? undefined
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return { usable: false, raw: undefined, faults: [`${key}: it is no YAML: ${reason}`] }
  }
  const faults = faultsOf(raw)
  return {
    usable: !faults.some(({ severity }) => severity === "error"),
    raw,
    faults: faults.map(({ path, reason, remedy }) => `${key}: ${path}: ${reason}${remedy && `; ${remedy}`}`)
  }
}
