import { assert, describe, it } from "@effect/vitest"
import { concatBytes, DeltaDiscoveryResponse, DiscoveryResponse } from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { encodeResponse } from "./response-encoding.ts"

const text = fc.string({ minLength: 1, unit: "grapheme" })
const resource = fc.record({
  name: text,
  version: text,
  bytes: fc.uint8Array({ minLength: 1, maxLength: 300 })
})
const answer = fc.record({ resources: fc.array(resource), removed: fc.array(text) })
const response = fc.record({ nonce: text, version: text })

describe("encodeResponse", () => {
  it("equals the generated encoder on state-of-the-world streams", () => {
    fc.assert(
      fc.property(text, response, answer, (typeUrl, { nonce, version }, { removed, resources }) => {
        const expected = DiscoveryResponse.encode({
          versionInfo: version,
          resources: resources.map(({ bytes }) => ({ typeUrl, value: bytes })),
          canary: false,
          typeUrl,
          nonce
        }).finish()
        const parts = encodeResponse("sotw", typeUrl, { nonce, version }, { resources, removed })
        assert.deepStrictEqual(concatBytes(parts), expected)
      })
    )
  })

  it("equals the generated encoder on delta streams", () => {
    fc.assert(
      fc.property(text, response, answer, (typeUrl, { nonce, version }, { removed, resources }) => {
        const expected = DeltaDiscoveryResponse.encode({
          systemVersionInfo: version,
          resources: resources.map(({ bytes, name, version }) => ({
            name,
            version,
            aliases: [],
            resource: { typeUrl, value: bytes }
          })),
          typeUrl,
          removedResources: removed,
          removedResourceNames: [],
          nonce
        }).finish()
        const parts = encodeResponse("delta", typeUrl, { nonce, version }, { resources, removed })
        assert.deepStrictEqual(concatBytes(parts), expected)
      })
    )
  })
})
