import { assert } from "vitest"
import type { Answers } from "./requests.ts"

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/** Asserts that requests reached exactly these addresses, each within 5 % (of all requests) of its share by weight. */
export const assertShares = (answers: Answers, weights: Readonly<Record<string, number>>): void => {
  assert.sameMembers(Object.keys(answers), Object.keys(weights))
  const requests = sum(Object.values(answers))
  for (const [address, weight] of Object.entries(weights)) {
    const share = weight / sum(Object.values(weights))
    assert.approximately((answers[address] ?? 0) / requests, share, 0.05, `share of ${address}`)
  }
}
