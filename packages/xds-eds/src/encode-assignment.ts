import type { Locality } from "@istiod-lite/model"
import {
  concatBytes,
  lengthDelimited,
  lengthDelimitedTag,
  nothing,
  uint32Field,
  utf8Field,
  varintLength,
  writeVarint
} from "@istiod-lite/xds-proto"
import { BackwardWriter } from "./backward-writer.ts"
import type { Assignment } from "./build-assignment.ts"
import type { AssignedEndpoint } from "./assigned-endpoint.ts"
import { writeEndpoint } from "./encode-endpoint.ts"

/** A locality whose endpoints are encoded already, in any number of parts. */
export interface EncodedLocality {
  readonly locality: Locality
  readonly priority: number
  readonly weight: number | undefined
  readonly endpoints: ReadonlyArray<Uint8Array>
}

// Encoding is synchronous and leaves nothing behind: one area serves all.
const scratch = new BackwardWriter(64 * 1024)

/** The `lb_endpoints` fields of a locality. */
export const encodeEndpoints = (endpoints: ReadonlyArray<AssignedEndpoint>): Uint8Array => {
  for (let i = endpoints.length - 1; i >= 0; i--) {
    const endpoint = endpoints[i]
    if (endpoint !== undefined) writeEndpoint(scratch, endpoint)
  }
  return scratch.take()
}

/** An envoy.config.endpoint.v3.ClusterLoadAssignment in parts, those of the endpoints as they are. */
export const assignmentParts = (
  name: string,
  localities: ReadonlyArray<EncodedLocality>
): ReadonlyArray<Uint8Array> => {
  const parts = [name === "" ? nothing : utf8Field(1, name)]
  for (const { endpoints, locality, priority, weight } of localities) {
    const before = lengthDelimited(1, localityFields(locality))
    const after = concatBytes([
      weight === undefined ? nothing : lengthDelimited(3, weight === 0 ? nothing : uint32Field(1, weight)),
      priority === 0 ? nothing : uint32Field(5, priority)
    ])
    const length = endpoints.reduce((sum, part) => sum + part.length, before.length + after.length)
    parts.push(header(2, length), before, ...endpoints, after)
  }
  return parts
}

/** The same for an assignment that was built endpoint by endpoint. */
export const encodeAssignment = (assignment: Assignment): Uint8Array =>
  concatBytes(
    assignmentParts(
      assignment.name,
      assignment.localities.map(({ endpoints, ...locality }) => ({
        ...locality,
        endpoints: [encodeEndpoints(endpoints)]
      }))
    )
  )

const localityFields = ({ region, subzone, zone }: Locality): Uint8Array =>
  concatBytes([region, zone, subzone].map((part, i) => (part === "" ? nothing : utf8Field(i + 1, part))))

/** Tag and length of a message field whose content follows. */
const header = (field: number, length: number): Uint8Array => {
  const tag = lengthDelimitedTag(field)
  const out = new Uint8Array(varintLength(tag) + varintLength(length))
  writeVarint(out, writeVarint(out, 0, tag), length)
  return out
}
