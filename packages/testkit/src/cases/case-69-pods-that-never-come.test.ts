import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bakeryWith, home } from "./support/bakery.ts"
import { endpointSlice, kubeService } from "./support/manifests.ts"
import { megabytesInUse } from "./support/memory.ts"

/** The one slice, naming another pod each turn. */
const naming = (turn: number) =>
  endpointSlice("oven", { address: `198.51.100.${turn % 250}`, ready: true, pod: `oven-${turn}` })

describe("case 69: slices that name pods which never come", () => {
  it.live(
    "leave nothing behind when they name others, and nothing when they go",
    () =>
      Effect.gen(function* () {
        const { graph, source } = yield* bakeryWith([kubeService("oven")])
        const empty = graph.sizes()
        source.apply(home, naming(0))
        const once = graph.sizes()
        const before = yield* megabytesInUse
        for (let turn = 1; turn <= 2000; turn++) source.apply(home, naming(turn))
        assert.deepEqual(graph.sizes(), once)
        assert.isBelow((yield* megabytesInUse) - before, 5)
        source.delete(home, naming(0))
        assert.deepEqual(graph.sizes(), empty)
      }),
    20_000
  )
})
