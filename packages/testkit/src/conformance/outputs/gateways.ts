export { gatewaysJson } from "@istiod-lite/registry-aggregate"
import { identityOf, type UnorderedList } from "../order-rules.ts"

export const gatewaysOrder: ReadonlyArray<UnorderedList> = [
  { at: [], identity: identityOf("network", "cluster", "addr", "port") }
]
