import { assert, describe, it } from "@effect/vitest"
import { Graph, untracked } from "@istiod-lite/collections"
import { type MutualTlsMode, noLabels } from "@istiod-lite/model"
import { peerAnswers } from "./peer-answers.ts"

const workload = (namespace: string) => ({ namespace, labels: noLabels })

describe("peerAnswers", () => {
  it("hold until something that was read for an answer changes", () => {
    const modes = new Graph().source<MutualTlsMode>("modes")
    const answers = peerAnswers(
      untracked,
      (read, { namespace }) => read.get(modes, namespace) ?? "PERMISSIVE"
    )
    assert.isTrue(answers.holds())
    assert.strictEqual(answers.mode(workload("shop"), 80), "PERMISSIVE")
    modes.set("other", "STRICT")
    assert.isTrue(answers.holds())
    modes.set("shop", "DISABLE")
    assert.isFalse(answers.holds())
    modes.delete("shop")
    assert.isTrue(answers.holds())
  })

  it("remember look-ups of indexes too", () => {
    const graph = new Graph()
    const modes = graph.source<MutualTlsMode>("modes")
    const byMode = graph.index("by mode", modes, (mode) => [mode])
    const answers = peerAnswers(untracked, (read) =>
      read.lookup(byMode, "STRICT").length > 0 ? "STRICT" : "DISABLE"
    )
    assert.strictEqual(answers.mode(workload("shop"), 80), "DISABLE")
    modes.set("a", "PERMISSIVE")
    assert.isTrue(answers.holds())
    modes.set("a", "STRICT")
    assert.isFalse(answers.holds())
  })
})
