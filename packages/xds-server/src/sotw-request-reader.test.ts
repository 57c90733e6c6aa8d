import { assert, describe, it } from "@effect/vitest"
import { DiscoveryRequest } from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { KnownNames, SotwRequestReader } from "./sotw-request-reader.ts"

const eds = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
const cds = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
const many = Array.from({ length: 100 }, (_, i) => `outbound|80||service-${i}.shop.svc.cluster.local`)

const request = (fields: Partial<DiscoveryRequest>): Uint8Array =>
  DiscoveryRequest.encode({
    versionInfo: "",
    node: undefined,
    resourceNames: [],
    resourceLocators: [],
    responseNonce: "",
    errorDetail: undefined,
    typeUrl: eds,
    ...fields
  }).finish()

describe("SotwRequestReader", () => {
  it("leaves names unread that are those of the last request of the type, and reads all else", () => {
    const reader = new SotwRequestReader(new KnownNames())
    assert.deepEqual(reader.read(request({ resourceNames: many })).resourceNames, many)
    const ack = reader.read(request({ resourceNames: many, responseNonce: "n1", versionInfo: "v1" }))
    assert.isUndefined(ack.resourceNames)
    assert.deepInclude(ack, { typeUrl: eds, responseNonce: "n1", versionInfo: "v1" })
    const nack = reader.read(
      request({
        resourceNames: many,
        responseNonce: "n2",
        errorDetail: { code: 3, message: "no", details: [] }
      })
    )
    assert.isUndefined(nack.resourceNames)
    assert.strictEqual(nack.errorDetail?.message, "no")
  })

  it("reads them when another is named, another type's request is the same, or few were named in between", () => {
    const reader = new SotwRequestReader(new KnownNames())
    reader.read(request({ resourceNames: many }))
    assert.deepEqual(reader.read(request({ resourceNames: many, typeUrl: cds })).resourceNames, many)
    assert.deepEqual(
      reader.read(request({ resourceNames: many.toReversed() })).resourceNames,
      many.toReversed()
    )
    assert.isUndefined(reader.read(request({ resourceNames: many.toReversed() })).resourceNames)
    assert.deepEqual(reader.read(request({ resourceNames: ["one"] })).resourceNames, ["one"])
    assert.deepEqual(
      reader.read(request({ resourceNames: many.toReversed() })).resourceNames,
      many.toReversed()
    )
  })

  it("has one list of the names that several streams name", () => {
    const known = new KnownNames()
    const [first, second] = [new SotwRequestReader(known), new SotwRequestReader(known)]
    const names = first.read(request({ resourceNames: many })).resourceNames
    const other = second.read(request({ resourceNames: many, responseNonce: "n1" }))
    assert.strictEqual(other.resourceNames, names)
    assert.strictEqual(other.responseNonce, "n1")
    assert.isUndefined(second.read(request({ resourceNames: many })).resourceNames)
    for (let i = 0; i < 100; i++) first.read(request({ resourceNames: [...many, `${i}`] }))
    assert.deepEqual(new SotwRequestReader(known).read(request({ resourceNames: many })).resourceNames, many)
  })

  it("reads what is written in another order than encoders write it in", () => {
    const reader = new SotwRequestReader(new KnownNames())
    const [front, back] = [many.slice(0, 50), many.slice(50)]
    const apart = Buffer.concat([
      request({ resourceNames: front, typeUrl: "" }),
      request({ resourceNames: [], typeUrl: eds }),
      request({ resourceNames: back, typeUrl: "" })
    ])
    for (let i = 0; i < 2; i++) assert.deepEqual(reader.read(apart).resourceNames, many)
  })

  it("throws on bytes that are no request, and goes on", () => {
    const reader = new SotwRequestReader(new KnownNames())
    const whole = request({ resourceNames: many })
    assert.throws(() => reader.read(whole.subarray(0, whole.length - 1)))
    assert.deepEqual(reader.read(whole).resourceNames, many)
    assert.isUndefined(reader.read(whole).resourceNames)
  })

  it("reads what the generated decoder reads, whatever the requests", () => {
    const names = fc.constantFrom([], ["a"], many, many.slice(1), [...many, "ü"], [...many, ...many])
    const fields = fc.record({
      resourceNames: names,
      typeUrl: fc.constantFrom(eds, cds, ""),
      responseNonce: fc.constantFrom("", "n1"),
      versionInfo: fc.constantFrom("", "x".repeat(300))
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1), fields), { maxLength: 10 }), (requests) => {
        const known = new KnownNames()
        const streams = [0, 1].map(() => ({
          reader: new SotwRequestReader(known),
          last: new Map<string, ReadonlyArray<string>>()
        }))
        for (const [stream, of] of requests) {
          const { last, reader } = streams[stream]!
          const bytes = request(of)
          const read = reader.read(bytes)
          const resourceNames = [...(read.resourceNames ?? last.get(read.typeUrl) ?? ["nothing before"])]
          last.set(read.typeUrl, resourceNames)
          assert.deepEqual({ ...read, resourceNames }, DiscoveryRequest.decode(bytes))
        }
      })
    )
  })
})
