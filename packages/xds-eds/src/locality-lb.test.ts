import { assert, describe, it } from "@effect/vitest"
import { parseLocality } from "@istiod-lite/model"
import { distribute, distributeRule, failoverPriorities, localityMatches, renumber } from "./locality-lb.ts"

const at = (text: string, weight: number | undefined = 1, priority = 0) => ({
  locality: parseLocality(text),
  weight,
  priority
})

describe("localityMatches", () => {
  it.each([
    ["eu/eu-1/a", "eu/eu-1/a", true],
    ["eu/eu-1/a", "eu/eu-1/*", true],
    ["eu/eu-1/a", "eu/eu-1", true],
    ["eu/eu-1/a", "eu", true],
    ["eu/eu-1/a", "*", true],
    ["eu/eu-1/a", "eu/eu-2", false],
    ["eu", "eu/eu-1", false],
    ["", "eu", false],
    ["", "*", true]
  ] as const)("%s by %s: %s", (locality, rule, matches) =>
    assert.strictEqual(localityMatches(parseLocality(locality), rule), matches)
  )
})

describe("distribute", () => {
  it("takes the first rule for the client's locality", () => {
    const rules = [
      { from: "us/*", to: { us: 100 } },
      { from: "eu/eu-1/*", to: { eu: 100 } },
      { from: "eu/*", to: { us: 100 } }
    ]
    assert.strictEqual(distributeRule(rules, parseLocality("eu/eu-1/a")), rules[1])
    assert.strictEqual(distributeRule(rules, parseLocality("asia")), undefined)
  })

  it("gives each destination its share, and the others nothing but their weight", () => {
    const shares = distribute([at("eu/eu-1", 3), at("us/us-1", 5), at("asia", 2)], {
      from: "*",
      to: { "eu/*": 80, "us/*": 20 }
    })
    assert.deepStrictEqual(shares, [
      { weight: 80, kept: true },
      { weight: 20, kept: true },
      { weight: 2, kept: false }
    ])
  })

  it("divides a destination that covers several localities by their weights, rounded up", () => {
    const shares = distribute([at("eu/eu-1", 2), at("eu/eu-2", 1)], { from: "*", to: { "eu/*": 80 } })
    assert.deepStrictEqual(
      shares.map(({ weight }) => weight),
      [54, 27]
    )
  })

  it("counts a locality without weight as 1, and keeps the weight where the share is 0", () => {
    const shares = distribute([at("eu", undefined), at("us", 4)], { from: "*", to: { eu: 100, us: 0 } })
    assert.deepStrictEqual(shares, [
      { weight: 100, kept: true },
      { weight: 4, kept: true }
    ])
  })
})

describe("failoverPriorities", () => {
  const from = parseLocality("eu/eu-1/a")
  const list = ["eu/eu-1/a", "eu/eu-1/b", "eu/eu-2/a", "us/us-1/a", "asia/asia-1/a"].map((text) => at(text))

  it("orders by subzone, zone, region, the rest", () => {
    assert.deepStrictEqual(failoverPriorities(list, from, []), [0, 1, 2, 3, 3])
  })

  it("puts the region named for failover before other regions", () => {
    assert.deepStrictEqual(failoverPriorities(list, from, [{ from: "eu", to: "us" }]), [0, 1, 2, 3, 4])
    assert.deepStrictEqual(failoverPriorities(list, from, [{ from: "us", to: "eu" }]), [0, 1, 2, 3, 3])
  })

  it("leaves no number out", () => {
    assert.deepStrictEqual(failoverPriorities([at("us"), at("eu/eu-2")], from, []), [1, 0])
    assert.deepStrictEqual(failoverPriorities([at("us")], from, [{ from: "eu", to: "asia" }]), [0])
  })

  it("keeps an order that is already there", () => {
    const ordered = [at("us", 1, 0), at("eu/eu-1/a", 1, 1), at("eu/eu-2", 1, 0)]
    assert.deepStrictEqual(failoverPriorities(ordered, from, []), [1, 2, 0])
  })
})

it("renumber keeps the order and closes the gaps", () => {
  assert.deepStrictEqual(renumber([7, 3, 3, 9]), [1, 0, 0, 2])
  assert.deepStrictEqual(renumber([]), [])
})
