import { assert, describe, it } from "@effect/vitest"
import type { DestinationRule, Labels, ObjectMeta, TrafficPolicy } from "@istiod-lite/model"
import { destinationRule, subset } from "@istiod-lite/model/testing"
import { type ExportedRule, gatherRules, ruleForWorkload } from "./destination-rules.ts"
import { noTrafficPolicy } from "./traffic-policy.ts"

interface Fields {
  readonly meta?: Partial<ObjectMeta>
  readonly exportTo?: ReadonlyArray<string>
  readonly selector?: Labels
  readonly subsets?: ReadonlyArray<string>
  readonly tls?: TrafficPolicy["tlsMode"]
}

const rule = (name: string, fields: Fields = {}): DestinationRule =>
  destinationRule({
    meta: { name, ...fields.meta },
    exportTo: fields.exportTo ?? [],
    workloadSelector: fields.selector,
    trafficPolicy: fields.tls && { ...noTrafficPolicy, tlsMode: fields.tls },
    subsets: (fields.subsets ?? []).map((each) => subset(each, { labels: { of: name } }))
  })

const gather = (rules: ReadonlyArray<DestinationRule>, meshDefault: ReadonlyArray<string> = ["*"]) =>
  gatherRules("shop", "reviews.shop.svc.cluster.local", rules, meshDefault)

/** The names of the objects of each merged rule. */
const names = (rules: ReadonlyArray<ExportedRule>): ReadonlyArray<string> =>
  rules.map(({ from }) => from.map(({ name }) => name).join("+"))

describe("gatherRules merging", () => {
  it("merges subsets by name, oldest first, and keeps the first policy", () => {
    const [merged] = gather([
      rule("b", { subsets: ["v2", "v1"], tls: "DISABLE" }),
      rule("c", { subsets: ["v3"], tls: "SIMPLE" }),
      rule("a", { subsets: ["v1"] })
    ]).local
    assert.deepEqual(
      merged?.rule.subsets.map(({ labels, name }) => [name, labels["of"]]),
      [
        ["v1", "a"],
        ["v2", "b"],
        ["v3", "c"]
      ]
    )
    assert.strictEqual(merged?.rule.trafficPolicy?.tlsMode, "DISABLE")
    assert.deepEqual(
      merged?.from.map(({ name }) => name),
      ["a", "b", "c"]
    )
  })

  it("goes by creation time before names", () => {
    const old = rule("z", { meta: { creationTime: "2025-01-01T00:00:00Z" } })
    assert.deepEqual(names(gather([rule("a"), old]).local), ["z+a"])
  })

  it("keeps rules with other audiences apart, except that a wider one joins a narrower", () => {
    const wide = rule("b", { exportTo: [".", "other"] })
    assert.deepEqual(names(gather([rule("a", { exportTo: ["other"] }), rule("b")]).exported), ["a", "b"])
    assert.deepEqual(names(gather([rule("a", { exportTo: ["."] }), wide]).local), ["a+b"])
    assert.deepEqual(names(gather([rule("a", { exportTo: [".", "x"] }), wide]).local), ["a", "b"])
  })

  it("merges equal selectors; a rule for all with a wider audience joins them and stands beside them", () => {
    const all = rule("d", { exportTo: [".", "other"] })
    const rules = gather([
      all,
      rule("a", { selector: { app: "1" } }),
      rule("b", { selector: { app: "2" } }),
      rule("c", { selector: { app: "2" } })
    ])
    assert.deepEqual(names(rules.local), ["a+d", "b+c+d", "d"])
    assert.deepEqual(names(rules.exported), ["d"])
  })

  it("loses a rule for all of the same private audience in the one that selects, as istiod does", () => {
    const rules = gather([rule("a", { selector: { app: "1" } }), rule("b", { exportTo: ["."] })])
    assert.deepEqual(names(rules.local), ["a+b"])
  })
})

const listsOf = (exportTo: ReadonlyArray<string>, meshDefault?: ReadonlyArray<string>) => {
  const { exported, local, private: hidden } = gather([rule("a", { exportTo })], meshDefault)
  return [local, exported, hidden].map((rules) => rules.length).join("")
}

describe("gatherRules visibility", () => {
  it.each([
    [[], ["*"], "110"],
    [["*"], ["*"], "110"],
    [["."], ["*"], "101"],
    [["shop"], ["*"], "101"],
    [["other"], ["*"], "010"],
    [[".", "other"], ["*"], "110"],
    [["~"], ["*"], "010"],
    [[], ["."], "101"],
    [["*"], ["."], "110"]
  ] as const)(
    "of exportTo %j by default %j is local, exported, private: %s",
    (exportTo, meshDefault, lists) => {
      assert.strictEqual(listsOf(exportTo, meshDefault), lists)
    }
  )
})

describe("ruleForWorkload", () => {
  const { local } = gather([
    rule("a", { selector: { app: "1" } }),
    rule("b", { selector: { app: "1", version: "2" } }),
    rule("c"),
    rule("d", { exportTo: ["*"] })
  ])

  it("takes the first that selects the workload in its own namespace", () => {
    assert.strictEqual(
      ruleForWorkload(local, "shop", { labels: { app: "1", version: "2" } })?.rule.meta.name,
      "a"
    )
  })

  it("takes the last one for all otherwise", () => {
    assert.strictEqual(ruleForWorkload(local, "shop", { labels: { app: "9" } })?.rule.meta.name, "d")
    assert.strictEqual(ruleForWorkload(local, "elsewhere", { labels: { app: "1" } })?.rule.meta.name, "d")
    assert.isUndefined(ruleForWorkload(local.slice(0, 2), "shop", { labels: {} }))
  })
})
