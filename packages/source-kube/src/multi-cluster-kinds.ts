import { hasClusterSetHosts, type Kind, type MeshConfigValue } from "@istiod-lite/model"

/** The kinds of Multi-Cluster Services that the mesh goes by: others are not asked for, so no role needs them. */
export const multiClusterKindsOf = (mesh: MeshConfigValue | undefined): ReadonlyArray<Kind> => {
  if (mesh === undefined) return []
  const readsExports = mesh.exportedServicesOnly || mesh.exportsServices
  return [
    ...(readsExports ? (["ServiceExport"] as const) : []),
    ...(hasClusterSetHosts(mesh) ? (["ServiceImport"] as const) : [])
  ]
}
