import type { Collection, Entry } from "@istiod-lite/collections"
import {
  isKind,
  type Kind,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  type ObjectIdentity,
  type Objects,
  ObjectSource,
  ServiceEntryStatuses,
  type ServiceEntry,
  type TypedObject
} from "@istiod-lite/model"
import { GatewayAddresses } from "@istiod-lite/registry-aggregate"
import { Effect, Option } from "effect"

/** One object that came, changed or went. */
export type ObjectChange = { readonly cluster: string } & (
  | { readonly change: "put"; readonly typed: TypedObject }
  | { readonly change: "delete"; readonly identity: ObjectIdentity }
)

/** Automatic addresses of one ServiceEntry, as an allocator wrote them. */
export type StatusAddresses = ServiceEntry["statusAddresses"]

/** What one transaction changes of a control plane's inputs. In entries, `undefined` is what went. */
export interface InputChanges {
  /** clusters by id: whether they are there now */
  readonly clusters: ReadonlyArray<Entry<boolean>>
  readonly objects: ReadonlyArray<ObjectChange>
  /** undefined: as before */
  readonly mesh: MeshConfigValue | undefined
  /** by `objectKey` of the ServiceEntry */
  readonly statuses: ReadonlyArray<readonly [key: string, addresses: StatusAddresses | undefined]>
  /** of network gateways, by their hostnames */
  readonly gatewayAddresses: ReadonlyArray<
    readonly [hostname: string, addresses: ReadonlyArray<string> | undefined]
  >
}

/** Nothing changes. */
export const noInputChanges: InputChanges = {
  clusters: [],
  objects: [],
  mesh: undefined,
  statuses: [],
  gatewayAddresses: []
}

/** The collections that everything else is computed from. */
export interface Inputs {
  readonly source: ObjectSource["Service"]
  readonly mesh: Collection<MeshConfigValue>
  /** undefined: no allocator runs, the objects' own statuses count */
  readonly statuses: Collection<StatusAddresses> | undefined
  /** undefined: no names are resolved */
  readonly gatewayAddresses: Collection<ReadonlyArray<string>> | undefined
}

/** The inputs of this control plane. */
export const makeInputs: Effect.Effect<Inputs, never, ObjectSource | MeshConfig> = Effect.gen(function* () {
  return {
    source: yield* ObjectSource,
    mesh: yield* MeshConfig,
    statuses: Option.getOrUndefined(yield* Effect.serviceOption(ServiceEntryStatuses)),
    gatewayAddresses: Option.getOrUndefined(yield* Effect.serviceOption(GatewayAddresses))?.byHostname
  }
})

/** Everything that is there, as the changes that would bring it about from nothing. */
export const readInputs = ({ gatewayAddresses, mesh, source, statuses }: Inputs): InputChanges => ({
  clusters: [...source.clusters.keys()].map((id) => [id, true]),
  objects: [
    ...[...source.clusters.values()].flatMap(({ cluster, objects }) => objectsOf(cluster, objects)),
    ...objectsOf(source.configCluster, source.config)
  ],
  mesh: mesh.get(meshKey),
  statuses: [...(statuses?.entries() ?? [])],
  gatewayAddresses: [...(gatewayAddresses?.entries() ?? [])]
})

/** Some of the collections of objects, by kind. */
export type SomeObjects = { readonly [K in Kind]?: Collection<Objects[K]> }

/** All objects of some collections. */
export const objectsOf = (cluster: string, collections: SomeObjects): ReadonlyArray<ObjectChange> =>
  kindsOf(collections).flatMap(([kind, collection]) =>
    [...collection.values()].map((object) => ({ cluster, change: "put", typed: typedObject(kind, object) }))
  )

/** The collections with the names of their kinds. */
export const kindsOf = (
  collections: SomeObjects
): ReadonlyArray<readonly [kind: Kind, collection: Collection<Objects[Kind]>]> =>
  Object.entries(collections).flatMap(([kind, collection]) => (isKind(kind) ? [[kind, collection]] : []))

/** An object with the kind that it is of. */
export function typedObject<K extends Kind>(kind: K, object: Objects[K]): TypedObject
// Overloaded, since that the two belong together is lost when collections are walked over.
export function typedObject(
  kind: Kind,
  object: Objects[Kind]
): { readonly kind: Kind; readonly object: Objects[Kind] } {
  return { kind, object }
}
