import { adaptivePacing, istioPacing, type PushPacing } from "@istiod-lite/xds-server"
import { Config, Duration, Effect } from "effect"
import { WrongUse } from "../query/query-error.ts"

/** When changes are pushed, by the name that `--pacing` takes. */
export type PacingName = "adaptive" | "istio"

/** The pacing of that name. Istio's windows are as its variables say, in its own notation (D-2). */
export const pacingOf = (name: PacingName): Effect.Effect<PushPacing, WrongUse> =>
  name === "adaptive" ? Effect.succeed(adaptivePacing) : istioWindows

const variable = (name: string) => Effect.orDie(Config.String(name).pipe(Config.withDefault("")))

const istioWindows = Effect.gen(function* () {
  const { max, quiet } = istioPacing
  return {
    mode: "windows" as const,
    quiet: yield* duration("PILOT_DEBOUNCE_AFTER", yield* variable("PILOT_DEBOUNCE_AFTER"), quiet),
    max: yield* duration("PILOT_DEBOUNCE_MAX", yield* variable("PILOT_DEBOUNCE_MAX"), max),
    endpointsAtOnce: ["false", "f", "0"].includes(
      (yield* variable("PILOT_ENABLE_EDS_DEBOUNCE")).toLowerCase()
    )
  }
})

const duration = (
  variable: string,
  text: string,
  standard: Duration.Input
): Effect.Effect<Duration.Input, WrongUse> => {
  if (text === "") return Effect.succeed(standard)
  const millis = parseGoDuration(text)
  return millis === undefined
    ? Effect.fail(
        new WrongUse({ message: `${variable}: expected a duration such as 100ms or 1m30s: received ${text}` })
      )
    : Effect.succeed(Duration.millis(millis))
}

const unitMillis: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000
}

/** Milliseconds of a duration as Go writes it, `1m30s`; undefined: it is none, or negative. */
export const parseGoDuration = (text: string): number | undefined => {
  if (text === "0") return 0
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  return [...text.matchAll(/([\d.]+)([a-zµ]+)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (unitMillis[unit ?? ""] ?? Number.NaN),
    0
  )
}
