import type { MeshConfigValue } from "@istiod-lite/model"
import { Effect } from "effect"
import { Catalog, type PlacedObject } from "./catalog.ts"
import { compareByPlace, type ManifestFault } from "./manifest-fault.ts"
import { ManifestFiles } from "./manifest-files.ts"
import { type MeshFileOptions, MeshFiles } from "./mesh-files.ts"

/** What `checkManifests` found. */
export interface ManifestCheck {
  /** sorted by file and line */
  readonly faults: ReadonlyArray<ManifestFault>
  /** good objects by kind */
  readonly counts: ReadonlyMap<string, number>
  readonly objects: ReadonlyArray<PlacedObject>
  /** objects that are there, but cannot be used: `ServiceEntry/shop/payments` */
  readonly rejected: ReadonlySet<string>
  readonly mesh: MeshConfigValue
}

/** Reads manifests once, and the mesh's settings if they are named, and says what is wrong. Fails: never. */
export const checkManifests = (
  paths: ReadonlyArray<string>,
  mesh: MeshFileOptions = {}
): Effect.Effect<ManifestCheck> =>
  Effect.promise(async () => {
    const roots = paths.map((path) => ({ cluster: "", path, mayBeAbsent: false }))
    const files = await new ManifestFiles(roots).refresh()
    const settings = await new MeshFiles(mesh).refresh()
    const catalog = new Catalog()
    catalog.apply(files.changes)
    const faults = [...files.faults, ...settings.faults, ...catalog.faults()]
    return {
      faults: faults.toSorted(compareByPlace),
      counts: catalog.counts(),
      objects: catalog.objects(),
      rejected: new Set(
        files.changes.flatMap((file) => (file.change === "read" ? file.reading.rejected : []))
      ),
      mesh: settings.value
    }
  })
