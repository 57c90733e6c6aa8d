import { type MeshConfigValue, type Service } from "@istiod-lite/model"
import type { ProxyView } from "./proxy-view.ts"
import { sidecarOfKey } from "./sidecar-scopes.ts"
import { audienceOf, includes } from "./visibility.ts"

/** Whether a proxy may call a service, and what keeps it from that (S-46). */
export type Visibility =
  | {
      readonly _tag: "Visible"
      /** as the proxy has it: with the ports that are imported */
      readonly service: Service
    }
  | {
      readonly _tag: "NotExported"
      /** the namespaces that see it; empty: nobody does */
      readonly audience: ReadonlyArray<string>
    }
  | {
      /** a definition of another namespace is what the host stands for */
      readonly _tag: "OtherNamespace"
      readonly winner: Service
    }
  | {
      /** the egress hosts of a Sidecar do not name it */
      readonly _tag: "NotImported"
      /** `namespace/name` of the Sidecar; empty if there is none */
      readonly sidecar: string
    }

/** Why a service is or is not in a proxy's scope: an answer for people, after the fact. */
export const visibilityOf = (
  { defaultServiceExportTo }: Pick<MeshConfigValue, "defaultServiceExportTo">,
  { scope }: Pick<ProxyView, "scope">,
  service: Service
): Visibility => {
  const seen = scope.byHostname.get(service.hostname)
  if (seen?.namespace === service.namespace) return { _tag: "Visible", service: seen }
  const audience = audienceOf(service.exportTo, defaultServiceExportTo, service.namespace)
  if (!includes(audience, scope.namespace)) return { _tag: "NotExported", audience }
  return seen === undefined
    ? { _tag: "NotImported", sidecar: sidecarOfKey(scope.key).sidecar }
    : { _tag: "OtherNamespace", winner: seen }
}
