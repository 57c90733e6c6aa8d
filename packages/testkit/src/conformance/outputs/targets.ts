export { targetsJson } from "@istiod-lite/registry-aggregate"
import { identityOf, type UnorderedList } from "../order-rules.ts"

export const targetsOrder: ReadonlyArray<UnorderedList> = [
  { at: ["targets"], identity: identityOf("registry", "namespace", "hostname", "port.number") }
]
