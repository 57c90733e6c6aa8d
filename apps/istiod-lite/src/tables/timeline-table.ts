import { momentText } from "../replay/moment.ts"
import type { TimelineAnswer } from "../replay/timeline.ts"

/** How many changes or effects of one transaction are named before the rest is counted. */
const mostNamed = 3

/** One transaction after the other: when, which objects, and below what it did to services and endpoints. */
export const timelineTable = (events: TimelineAnswer): string => events.map(eventText).join("\n")

const eventText = ({ changes, effects, start, time }: TimelineAnswer[number]): string => {
  const when = momentText(Date.parse(time))
  const what = start ? `start: ${effects.join(", ")}` : shorten(changes).join(", ")
  const told = start ? [] : shorten(effects).map((effect) => `${" ".repeat(when.length)}    ${effect}`)
  return [`${when}  ${what}`, ...told].join("\n")
}

const shorten = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.length <= mostNamed ? texts : [...texts.slice(0, mostNamed), `and ${texts.length - mostNamed} more`]
