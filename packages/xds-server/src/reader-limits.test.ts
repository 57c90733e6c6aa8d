import { assert, describe, it } from "@effect/vitest"
import { DiscoveryRequest } from "@istiod-lite/xds-proto"
import { KnownNames, knownNamesLimits, SotwRequestReader } from "./sotw-request-reader.ts"

const request = (typeUrl: string, resourceNames: ReadonlyArray<string>): Uint8Array =>
  DiscoveryRequest.encode({
    versionInfo: "",
    node: undefined,
    resourceNames: [...resourceNames],
    resourceLocators: [],
    responseNonce: "",
    errorDetail: undefined,
    typeUrl
  }).finish()

const names = Array.from({ length: 100 }, (_, i) => `outbound|80||service-${i}.shop.svc.cluster.local`)

describe("SotwRequestReader, clients that name whatever they like", () => {
  it("does not remember each type that was ever asked for", () => {
    const reader = new SotwRequestReader(new KnownNames())
    for (let i = 0; i < 1000; i++) reader.read(request(`type ${i}`, names))
    // Read again, as of a type that is new; names that are remembered are left unread.
    assert.deepEqual(reader.read(request("type 0", names)).resourceNames, names)
    assert.isUndefined(reader.read(request("type 999", names)).resourceNames)
  })
})

describe("KnownNames", () => {
  it("keeps no more bytes than its limit, the newest lists first", () => {
    const known = new KnownNames()
    const half = knownNamesLimits.bytes / 2
    known.add("first", ["a"], half)
    known.add("second", ["b"], half)
    assert.deepEqual(known.get("first"), ["a"])
    known.add("third", ["c"], 1)
    assert.isUndefined(known.get("first"))
    assert.deepEqual(known.get("second"), ["b"])
    assert.deepEqual(known.get("third"), ["c"])
  })
})
