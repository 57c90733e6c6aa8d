import type { Drift } from "./drift.ts"
import { counted } from "../tables/table.ts"

/** How many of a list are told before the rest is counted. */
const mostTold = 3

/** One line for each assignment and kind of drift, whichever number of proxies it concerns. */
export const describeDrifts = (drifts: ReadonlyArray<Drift>): ReadonlyArray<string> =>
  [...Map.groupBy(drifts, ({ kind, name }) => `${kind} ${name}`).values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    return [`Audit: ${first.name}, for ${named(alike.map(({ who }) => who))}: ${whatIsWrong(first)}`]
  })

const whatIsWrong = (drift: Drift): string => {
  if (drift.kind === "unsent") {
    const held = drift.held === undefined ? "nothing" : `version ${drift.held}`
    return `has ${held}, and no push brought ${drift.current}, which is what the objects give`
  }
  const { differences, inputs } = drift
  const told = differences
    .slice(0, mostTold)
    .map(({ address, object, what }) => `${address} (${object}) ${what}`)
  const more = differences.length - told.length
  const endpoints = told.length === 0 ? "the endpoints are equal, but not the bytes" : told.join("; ")
  return `${endpoints}${more > 0 ? `; and ${more} more` : ""}; differs in ${inputs.join(", ")}`
}

const named = (who: ReadonlyArray<string>): string => {
  const more = who.length - mostTold
  const told = who.slice(0, mostTold).join(", ")
  return more > 0 ? `${told} and ${counted(more, "more proxy", "more proxies")}` : told
}
