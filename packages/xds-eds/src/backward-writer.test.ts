import { assert, describe, it } from "@effect/vitest"
import { concatBytes, lengthDelimited, uint32Field, utf8Field } from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { BackwardWriter } from "./backward-writer.ts"

describe("BackwardWriter", () => {
  it("writes what a forward writer writes, growing as needed", () => {
    const field = fc.record({ text: fc.string({ unit: "binary", maxLength: 200 }), number: fc.nat() })
    fc.assert(
      fc.property(fc.array(field, { maxLength: 10 }), fc.nat({ max: 64 }), (fields, capacity) => {
        const out = new BackwardWriter(capacity)
        for (const { number, text } of fields.toReversed()) {
          const mark = out.mark
          out.semicolons(4, [text, "", text])
          out.fields(utf8Field(3, "fixed"))
          out.uint32(2, number)
          out.text(1, text)
          out.message(15, mark)
        }
        const forward = fields.map(({ number, text }) =>
          lengthDelimited(
            15,
            utf8Field(1, text),
            uint32Field(2, number),
            utf8Field(3, "fixed"),
            utf8Field(4, `${text};;${text}`)
          )
        )
        assert.deepStrictEqual(out.take(), concatBytes(forward))
        assert.strictEqual(out.mark, 0)
      })
    )
  })

  it("gives copies, which later writing does not change", () => {
    const out = new BackwardWriter(16)
    out.text(1, "first")
    const first = out.take()
    out.text(1, "other")
    assert.deepStrictEqual(first, utf8Field(1, "first"))
  })
})
