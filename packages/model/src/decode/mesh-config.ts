import { defaultMeshConfig, type MeshConfigValue } from "../mesh-config.ts"
import type { ObjectFault } from "./fault.ts"
import { Fields } from "./fields.ts"
import { decodeLabelSelector } from "./label-selector.ts"
import { decodeLocalityLbSetting } from "./locality-lb-setting.ts"

/**
 * Reads Istio's MeshConfig. What it does not say comes from `base`: Istio's defaults and the switches that are no
 * part of the document. Faults of severity error mean that the value must not be used.
 *
 * Source: istio.io/api mesh/v1alpha1 MeshConfig; istio pkg/config/mesh, DefaultMeshConfig.
 */
export const decodeMeshConfig = (
  raw: unknown,
  base: MeshConfigValue = defaultMeshConfig
): { readonly value: MeshConfigValue; readonly faults: ReadonlyArray<ObjectFault> } => {
  const faults: Array<ObjectFault> = []
  const fields = Fields.root(raw ?? {}, { object: "MeshConfig", faults })
  const locality = fields.optional("localityLbSetting")
  const discoveryAddress = fields.at("defaultConfig").text("discoveryAddress")
  const value: MeshConfigValue = {
    ...base,
    trustDomain: fields.text("trustDomain") || base.trustDomain,
    trustDomainAliases: listOr(fields, "trustDomainAliases", base.trustDomainAliases),
    rootNamespace: fields.text("rootNamespace") || base.rootNamespace,
    defaultServiceExportTo: listOr(fields, "defaultServiceExportTo", base.defaultServiceExportTo),
    defaultDestinationRuleExportTo: listOr(
      fields,
      "defaultDestinationRuleExportTo",
      base.defaultDestinationRuleExportTo
    ),
    defaultVirtualServiceExportTo: listOr(
      fields,
      "defaultVirtualServiceExportTo",
      base.defaultVirtualServiceExportTo
    ),
    localityLbSetting: locality === undefined ? base.localityLbSetting : decodeLocalityLbSetting(locality),
    discoverySelectors: fields.has("discoverySelectors")
      ? fields.list("discoverySelectors").map(decodeLabelSelector)
      : base.discoverySelectors,
    serviceSettings: fields.has("serviceSettings")
      ? fields.list("serviceSettings").map((it) => ({
          clusterLocal: it.at("settings").flag("clusterLocal") ?? false,
          hosts: it.texts("hosts")
        }))
      : base.serviceSettings,
    discoveryHost:
      discoveryAddress === "" ? base.discoveryHost : discoveryHost(discoveryAddress, base.domainSuffix)
  }
  return { value, faults }
}

const listOr = (fields: Fields, name: string, fallback: ReadonlyArray<string>): ReadonlyArray<string> => {
  const list = fields.texts(name)
  return list.length === 0 ? fallback : list
}

/** `istiod.istio-system.svc:15012` without port and with the domain suffix (S-52). */
const discoveryHost = (address: string, domainSuffix: string): string => {
  const host = address.replace(/:\d+$/, "")
  return host.endsWith(domainSuffix) ? host : `${host}.${domainSuffix}`
}
