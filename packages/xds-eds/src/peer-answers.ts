import type { Collection, Index, Reader } from "@istiod-lite/collections"
import type { PolicyQueries } from "@istiod-lite/mesh-policy"
import type { PeerMode } from "./endpoint-view.ts"

/** Answers about PeerAuthentication that belong together: encoded endpoints may be kept as long as they hold. */
export interface PeerAnswers {
  readonly mode: PeerMode
  /** Whether everything that was read for an answer is still what it was. */
  readonly holds: () => boolean
}

/**
 * Asks the policies, and remembers what they read: a few collection entries for all the endpoints of a namespace.
 * An answer is about one endpoint, of which there are thousands; to remember each of them would cost more.
 */
export const peerAnswers = (read: Reader, ask: PolicyQueries["peerAuthentication"]): PeerAnswers => {
  const seen = new Map<Collection<unknown> | Index<unknown>, Map<string, unknown>>()
  const remember = <V>(from: Collection<unknown> | Index<unknown>, key: string, value: V): V => {
    const known = seen.get(from)
    if (known === undefined) seen.set(from, new Map([[key, value]]))
    else known.set(key, value)
    return value
  }
  const remembering: Reader = {
    get: (from, key) => remember(from, key, read.get(from, key)),
    lookup: (index, key) => remember(index, key, read.lookup(index, key))
  }
  const reread = (from: Collection<unknown> | Index<unknown>, key: string): unknown =>
    "lookup" in from ? read.lookup(from, key) : read.get(from, key)
  return {
    mode: (workload, port) => ask(remembering, workload, port),
    holds: () => {
      for (const [from, keys] of seen) {
        for (const [key, value] of keys) if (reread(from, key) !== value) return false
      }
      return true
    }
  }
}
