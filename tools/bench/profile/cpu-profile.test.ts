import { assert, describe, it } from "@effect/vitest"
import { topBySelfTime } from "./cpu-profile.ts"

const node = (id: number, functionName: string, url = "", lineNumber = 0) => ({
  id,
  callFrame: { functionName, url, lineNumber }
})

describe("topBySelfTime", () => {
  it("adds up what a function took wherever it was called from, without waiting", () => {
    const profile = {
      nodes: [
        node(1, "(idle)"),
        node(2, "push", "file:///app/main.js", 9),
        node(3, "push", "file:///app/main.js", 9),
        node(4, "")
      ],
      samples: [1, 2, 3, 4, 2],
      timeDeltas: [5000, 1000, 2000, 1000, 4000]
    }
    assert.deepEqual(topBySelfTime(profile, 2), [
      { where: "push main.js:10", milliseconds: 7, share: 7 / 8 },
      { where: "(anonymous)", milliseconds: 1, share: 1 / 8 }
    ])
  })

  it("has nothing to tell of a program that only waited", () => {
    assert.deepEqual(topBySelfTime({ nodes: [node(1, "(idle)")], samples: [1], timeDeltas: [10] }, 5), [])
  })
})
