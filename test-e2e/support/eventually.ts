import { setTimeout as pause } from "node:timers/promises"

/**
 * Asks again until an answer is good, and returns it. Fails after the deadline (milliseconds) with the last answer
 * or error, so that a red test says what was seen.
 */
export const eventually = async <A>(
  what: string,
  ask: () => Promise<A>,
  isGood: (answer: A) => boolean = (answer) => answer === true,
  deadline = 20_000
): Promise<A> => {
  const end = performance.now() + deadline
  let last = "nothing yet"
  do {
    try {
      const answer = await ask()
      if (isGood(answer)) return answer
      last = JSON.stringify(answer)
    } catch (error) {
      last = String(error)
    }
    await pause(25)
  } while (performance.now() < end)
  throw new Error(`Cannot see that ${what}: after ${deadline} ms the last answer was ${last}`)
}
