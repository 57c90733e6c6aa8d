export { endpointsJson } from "@istiod-lite/registry-aggregate"
import { identityOf, type UnorderedList } from "../order-rules.ts"

export const endpointsOrder: ReadonlyArray<UnorderedList> = [
  { at: ["*", "*"], identity: identityOf("addresses", "port", "servicePortName", "workloadName") }
]
