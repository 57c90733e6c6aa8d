import { setTimeout as pause } from "node:timers/promises"
import type { Requester } from "./requests.ts"

/**
 * Keeps asking a host until an address has answered nothing for `quiet` milliseconds: the milliseconds from the
 * call of `remove` to that address's last answer. Fails after 20 s.
 */
export const departure = async (
  requests: Requester,
  host: string,
  address: string,
  remove: () => void,
  quiet = 1500
): Promise<number> => {
  remove()
  const start = performance.now()
  let last = start
  while (performance.now() - last < quiet) {
    if (performance.now() - start > 20_000) throw new Error(`${address} still answers for ${host} after 20 s`)
    if ((await requests.ask(host)) === address) last = performance.now()
    // Leaves the two cores of a small machine to the programs under test.
    await pause(1)
  }
  return last - start
}
