import type { XdsProtocol } from "@istiod-lite/model"
import { lengthDelimitedTag, utf8Field, varintLength, writeVarint } from "@istiod-lite/xds-proto"
import type { SentResponse } from "./acknowledgement.ts"
import type { Answer } from "./type-session.ts"

export type { XdsProtocol } from "@istiod-lite/model"

/**
 * Writes a DiscoveryResponse or DeltaDiscoveryResponse around resources that are encoded already and stay what they
 * are. Its parts behind one another equal, byte for byte, what the generated encoder writes.
 */
export const encodeResponse = (
  protocol: XdsProtocol,
  typeUrl: string,
  response: SentResponse,
  answer: Answer
): ReadonlyArray<Uint8Array> => {
  const anyType = utf8Field(1, typeUrl)
  const parts: Array<Uint8Array> = [utf8Field(1, response.version)]
  for (const resource of answer.resources) {
    const named = protocol === "delta" ? [utf8Field(3, resource.name), utf8Field(1, resource.version)] : []
    // Only asked for where there are no parts: asking may put it together.
    const pieces = resource.parts ?? [resource.bytes]
    const length = totalLength(pieces)
    const value = head(2, length)
    const any = anyType.length + value.length + length
    if (protocol === "delta") named.push(head(2, any))
    parts.push(head(2, any + totalLength(named)), ...named, anyType, value, ...pieces)
  }
  parts.push(utf8Field(4, typeUrl))
  if (protocol === "delta") for (const name of answer.removed) parts.push(utf8Field(6, name))
  parts.push(utf8Field(5, response.nonce))
  return parts
}

/** Tag and length of a length-delimited field whose content follows. */
const head = (field: number, length: number): Uint8Array => {
  const tag = lengthDelimitedTag(field)
  const out = new Uint8Array(varintLength(tag) + varintLength(length))
  writeVarint(out, writeVarint(out, 0, tag), length)
  return out
}

const totalLength = (parts: ReadonlyArray<Uint8Array>): number =>
  parts.reduce((length, part) => length + part.length, 0)
