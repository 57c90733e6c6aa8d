import type { Collection, Graph } from "@istiod-lite/collections"
import {
  decodeMeshConfig,
  decodeMeshNetworks,
  defaultMeshConfig,
  type MeshConfigValue,
  meshKey,
  type ObjectFault
} from "@istiod-lite/model"
import { Deferred, Effect } from "effect"
import { parse } from "yaml"
import { type FollowedObjects, followObjects } from "./follow-objects.ts"
import type { RawListed } from "./watch-event.ts"

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

/** The mesh configuration of a ConfigMap that is followed. */
export interface FollowedMesh {
  /** the defaults until it is read */
  readonly mesh: Collection<MeshConfigValue>
  /** Ends when it was read, or may not be read. */
  readonly untilRead: Effect.Effect<void>
}

/** Follows the ConfigMap for as long as the scope lives; what is wrong with it is logged. */
export const followMesh = Effect.fnUntraced(function* (
  {
    defaults,
    name = "istio",
    ...source
  }: Pick<FollowedObjects, "client" | "namespace" | "reflector"> & {
    readonly name: string | undefined
    readonly defaults: Partial<MeshConfigValue> | undefined
  },
  graph: Graph
) {
  const settings = new MeshSettings(defaults)
  const mesh = graph.source<MeshConfigValue>("mesh", { equals: sameJson })
  mesh.set(meshKey, settings.value)
  const read = yield* Deferred.make<void>()
  yield* followObjects(
    { ...source, plural: "configmaps", query: { fieldSelector: `metadata.name=${name}` } },
    isConfigMap,
    {
      onSet: (maps, log) => {
        const faults = settings.read(maps.get(name))
        if (faults.length > 0) {
          log(Effect.logWarning(`ConfigMap ${source.namespace}/${name}: ${faults.join(". ")}`))
        }
        mesh.set(meshKey, settings.value)
      },
      onRead: Deferred.succeed(read, undefined)
    }
  )
  const followed: FollowedMesh = { mesh, untilRead: Deferred.await(read) }
  return followed
})

const isConfigMap = (raw: RawListed): raw is RawListed & MeshConfigMap => raw.metadata !== undefined

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

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
