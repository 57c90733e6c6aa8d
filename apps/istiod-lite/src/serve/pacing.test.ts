import { assert, describe, it } from "@effect/vitest"
import { adaptivePacing, istioPacing } from "@istiod-lite/xds-server"
import { ConfigProvider, Duration, Effect } from "effect"
import { pacingOf, parseGoDuration } from "./pacing.ts"

const windows = (env: Readonly<Record<string, string>>) =>
  pacingOf("istio").pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { ...env } }))
  )

describe("parseGoDuration", () => {
  it.each([
    ["100ms", 100],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["0", 0],
    ["250us", 0.25],
    ["", undefined],
    ["5", undefined],
    ["-1s", undefined],
    ["1s ", undefined],
    ["10 seconds", undefined]
  ])("reads %s", (text, expected) => assert.strictEqual(parseGoDuration(text), expected))
})

describe("pacingOf", () => {
  it.effect("is ours unless Istio's is asked for, whatever variables say", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pacingOf("adaptive"), adaptivePacing)
    })
  )

  it.effect("has Istio's windows, as its variables say them", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* windows({}), { ...istioPacing, endpointsAtOnce: false })
      const said = yield* windows({
        PILOT_DEBOUNCE_AFTER: "1ms",
        PILOT_DEBOUNCE_MAX: "2s",
        PILOT_ENABLE_EDS_DEBOUNCE: "false"
      })
      assert(said.mode === "windows")
      assert.deepEqual([said.quiet, said.max].map(Duration.toMillis), [1, 2000])
      assert.isTrue(said.endpointsAtOnce)
    })
  )

  it.effect("names a variable that is no duration", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(windows({ PILOT_DEBOUNCE_AFTER: "soon" }))
      assert.strictEqual(
        message,
        "PILOT_DEBOUNCE_AFTER: expected a duration such as 100ms or 1m30s: received soon"
      )
    })
  )
})
