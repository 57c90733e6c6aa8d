import { assert, describe, it } from "@effect/vitest"
import { Activity } from "./activity.ts"
import type { StreamName } from "./observer.ts"

const stream: StreamName = { peer: "10.0.0.1:4711", node: "reviews-1", protocol: "sotw" }

describe("Activity", () => {
  it("tells a thousand connects and disconnects in one line", () => {
    const activity = new Activity(() => {})
    for (let i = 0; i < 1000; i++) {
      activity.opened()
      if (i > 0) activity.closed()
    }
    assert.deepStrictEqual(activity.take(), [
      { level: "Info", message: "xDS streams: 1000 opened, 999 closed, 1 open" }
    ])
    assert.deepStrictEqual(activity.take(), [])
  })

  it("tells equal refusals once, with who was the first", () => {
    const activity = new Activity(() => {})
    for (let i = 0; i < 3; i++) activity.refused(stream, "eds", "port 0")
    assert.deepStrictEqual(activity.take(), [
      { level: "Warn", message: "Client refused eds: port 0 (reviews-1 at 10.0.0.1:4711, and 2 more times)" }
    ])
  })

  it("keeps only so many different messages", () => {
    const activity = new Activity(() => {})
    for (let i = 0; i < 1000; i++) activity.unknownType(stream, `type-${i}`)
    const lines = activity.take()
    assert.strictEqual(lines.length, 21)
    assert.strictEqual(lines.at(-1)?.message, "… and 980 more of other kinds")
  })

  it("tells what clients chose in one short line", () => {
    const activity = new Activity(() => {})
    const evil = { ...stream, node: "a\n23:59:59 all is well\u001b[2J" }
    activity.unknownType(evil, "x".repeat(2_000_000))
    activity.rejected(evil, { details: "no\r\n" })
    activity.refused(stream, "eds", "y\u202e".repeat(1000))
    const lines = activity.take().map(({ message }) => message)
    assert.strictEqual(lines.length, 3)
    for (const line of lines) {
      assert.isBelow(line.length, 2500)
      assert.notMatch(line, /[\p{Cc}\p{Cf}]/u)
    }
    assert.strictEqual(
      lines[1],
      "Stream ended: no\\u000d\\u000a (a\\u000a23:59:59 all is well\\u001b[2J at 10.0.0.1:4711)"
    )
  })

  it("calls once when there is something to tell, and again after it was told", () => {
    let calls = 0
    const activity = new Activity(() => calls++)
    activity.opened()
    activity.closed()
    assert.strictEqual(calls, 1)
    activity.take()
    activity.opened()
    assert.strictEqual(calls, 2)
  })
})
