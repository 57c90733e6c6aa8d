import type { XdsResource } from "@istiod-lite/model"
import { endpointTypeUrl, resourceToJson } from "@istiod-lite/xds-proto"
import type { Json } from "../json.ts"
import { identityOf, type UnorderedList } from "../order-rules.ts"

const lbEndpointAddress = identityOf(
  "endpoint.address.socketAddress.address",
  "endpoint.address.socketAddress.portValue",
  "endpoint.address.pipe.path",
  "endpoint.address.envoyInternalAddress.endpointId"
)

export const assignmentsOrder: ReadonlyArray<UnorderedList> = [
  { at: ["*", "endpoints"], identity: identityOf("priority", "locality") },
  { at: ["*", "endpoints", "*", "lbEndpoints"], identity: lbEndpointAddress }
]

/** `<proxy>.eds.json`: each assignment by its cluster's name, read back from the bytes that a client gets. */
export const assignmentsJson = (resources: ReadonlyArray<XdsResource>): Json =>
  Object.fromEntries(
    resources.map(({ bytes, name }) => [name, resourceToJson(endpointTypeUrl, bytes) as Json])
  )
