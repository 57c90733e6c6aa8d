import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseTimeout, statusHeaders } from "./grpc-headers.ts"
import { StreamCode } from "./transport.ts"

const messageOf = (details: string): string =>
  statusHeaders({ code: StreamCode.internal, details })["grpc-message"] ?? ""

describe("parseTimeout", () => {
  it.each([
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3000],
    ["4m", 4],
    ["5000u", 5],
    ["6000000n", 6],
    ["99999999H", 99_999_999 * 3_600_000]
  ])("reads %s", (header, millis) => {
    assert.closeTo(parseTimeout(header) ?? Number.NaN, millis, 1e-9)
  })

  it.each(["", "1", "S", "1.5S", "-1S", "123456789S", "1s", "1S ", "1h"])("reads nothing in %j", (header) => {
    assert.isUndefined(parseTimeout(header))
  })
})

describe("statusHeaders", () => {
  it("writes details that any client decodes, in what headers may contain", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (details) => {
        const message = messageOf(details)
        assert.match(message, /^[\x20-\x7e]*$/)
        assert.strictEqual(decodeURIComponent(message), details)
      })
    )
  })

  it("writes lone surrogates as what they are not, instead of failing", () => {
    assert.strictEqual(messageOf("\ud800"), "%EF%BF%BD")
  })

  it("cuts details that no client would accept as a header", () => {
    assert.isBelow(messageOf("ö".repeat(100_000)).length, 16 * 1024)
  })
})
