/** Manifest files as typed input collections: read, checked, watched. */
export * from "./src/catalog.ts"
export * from "./src/manifest-fault.ts"
