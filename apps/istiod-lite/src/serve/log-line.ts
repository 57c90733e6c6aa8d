import { Cause, type Layer, Logger } from "effect"

/** `23:05:12 message`, with the level where it is not Info: a log that a person reads while it runs. */
export const formatLogLine = ({ cause, date, logLevel, message }: Logger.Options<unknown>): string => {
  const time = date.toTimeString().slice(0, 8)
  const level = logLevel === "Info" ? "" : `${logLevel.toUpperCase()} `
  const parts = (Array.isArray(message) ? message : [message]).map((part: unknown) =>
    typeof part === "string" ? part : Cause.isCause(part) ? Cause.pretty(part) : String(part)
  )
  const why = cause.reasons.length === 0 ? "" : `: ${Cause.pretty(cause)}`
  return `${time} ${level}${parts.join(" ")}${why}`
}

/** One line per event on standard error; standard output is for what was asked for. */
export const layerLineLogger: Layer.Layer<never> = Logger.layer([
  Logger.make((options) => {
    process.stderr.write(`${formatLogLine(options)}\n`)
  })
])
