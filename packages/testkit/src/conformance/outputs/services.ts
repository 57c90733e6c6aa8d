export { servicesJson } from "@istiod-lite/registry-aggregate"
import { identityOf, type UnorderedList } from "../order-rules.ts"

export const servicesOrder: ReadonlyArray<UnorderedList> = [
  { at: [], identity: identityOf("hostname", "namespace", "registry", "objectName", "defaultAddress") }
]
