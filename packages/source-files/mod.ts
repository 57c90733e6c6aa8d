/**
 * Manifest files as an `ObjectSource`: read, checked, watched.
 *
 * A change in the file system wakes one fiber, which waits for quiet, looks at all paths again, reads the files
 * whose stamp has changed, and writes the differences in one transaction. `Catalog` decides the differences, without
 * I/O; everything else here is how files become its input.
 */
export * from "./src/catalog.ts"
export * from "./src/check-manifests.ts"
export * from "./src/file-source.ts"
export type { FileCollectionsOptions } from "./src/file-collections.ts"
export type { FileChange } from "./src/file-state.ts"
export * from "./src/manifest-fault.ts"
export type { MeshFileOptions } from "./src/mesh-files.ts"
export { type ManifestReading, readManifest } from "./src/read-manifest.ts"
export type { LocatedFault, ManifestObject, Reading } from "./src/read-document.ts"
export * from "./src/source-faults.ts"
