import { rmSync } from "node:fs"
import { join } from "node:path"
import { machine, service, slice, type SliceEndpoint, writeManifest } from "./manifests.ts"

/** A Service of namespace shop with many pods in slices of 100, and with machines in localities of their own. */
export const largeService = "crowd"
export const largeHost = "crowd.shop.svc.cluster.local"

const port = 8080
const perSlice = 100

/** The addresses of slice `i`. */
export const sliceAddresses = (i: number): ReadonlyArray<string> =>
  Array.from({ length: perSlice }, (_, j) => `10.${20 + (i >> 8)}.${i & 255}.${j + 1}`)

/** Writes or rewrites slice `i`. */
export const writeSlice = (
  folder: string,
  i: number,
  endpoints: ReadonlyArray<SliceEndpoint> = sliceAddresses(i).map((address) => ({ address, state: "ready" }))
): void => {
  const { metadata, ...rest } = slice(largeService, port, endpoints) as { readonly metadata: object }
  const name = `${largeService}-${i}`
  writeManifest(folder, `${name}.json`, [{ ...rest, metadata: { ...metadata, name } }])
}

/** Writes a machine of the service in a locality. */
export const writeMachine = (folder: string, name: string, address: string, locality: string): void => {
  const { spec, ...rest } = machine(name, largeService, address, port) as { readonly spec: object }
  writeManifest(folder, `${name}.json`, [{ ...rest, spec: { ...spec, locality } }])
}

export const removeMachine = (folder: string, name: string): void => rmSync(join(folder, `${name}.json`))

/** Writes the service with `slices` × 100 pods, all ready. */
export const writeLargeService = (folder: string, slices: number): void => {
  writeManifest(folder, "crowd.json", [service(largeService, port)])
  for (let i = 0; i < slices; i++) writeSlice(folder, i)
}
