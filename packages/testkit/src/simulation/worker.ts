/** A thread that plays the histories it is sent. */
import { parentPort } from "node:worker_threads"
import { type FailedSeed, type SeedRange, simulateSeeds } from "./simulate-seeds.ts"

/** What was compared may be anything; its text is all that is shown. */
const sendable = ({ batch, difference: { key, what }, seed }: FailedSeed): FailedSeed => ({
  seed,
  batch,
  difference: { what, key, served: undefined, expected: undefined }
})

parentPort?.on("message", (range: SeedRange) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(simulateSeeds(range).map(sendable))
})
