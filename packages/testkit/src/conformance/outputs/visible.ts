export { visibleJson } from "@istiod-lite/registry-aggregate"
import { canonicalText, isList, isRecord, type Json, type JsonRecord } from "../json.ts"
import { identityOf, type UnorderedList } from "../order-rules.ts"

export const visibleOrder: ReadonlyArray<UnorderedList> = [
  { at: [], identity: identityOf("hostname", "namespace") }
]

/**
 * Where istiod picks an address at random, the golden says `addressOneOf`. Ours is defined (D-14): the golden takes
 * our choice if it is one of them, else it stays and the difference is reported.
 */
export const settleAddresses = (expected: Json, actual: Json): Json =>
  isList(expected) && isList(actual) ? expected.map((item) => settleAddress(item, actual)) : expected

const settleAddress = (item: Json, actual: ReadonlyArray<Json>): Json => {
  if (!isRecord(item) || !isList(item.addressOneOf)) return item
  const { addressOneOf, ...rest } = item
  const ours = actual.find(
    (other): other is JsonRecord => isRecord(other) && sameService(item, other)
  )?.addresses
  const chosen = isList(ours) && ours.length === 1 ? ours[0] : undefined
  const isChoice =
    chosen !== undefined && addressOneOf.some((one) => canonicalText(one) === canonicalText(chosen))
  return isChoice ? { ...rest, addresses: [chosen] } : item
}

const sameService = (a: JsonRecord, b: JsonRecord): boolean =>
  a.hostname === b.hostname && a.namespace === b.namespace
