import { LineCounter, parseDocument as parseYaml } from "yaml"
import { lineOfPath } from "./locate.ts"

/** A document as plain values, and the way back to its lines; or why there are none. Lines count from 1. */
export type ParsedDocument =
  | { readonly outcome: "value"; readonly raw: unknown; readonly lineOf: (path: string) => number }
  | { readonly outcome: "empty" }
  | { readonly outcome: "error"; readonly reason: string; readonly remedy: string; readonly line: number }

/**
 * The largest YAML document that is read, in UTF-16 units. An object of etcd has at most 1.5 MB, and reading YAML
 * costs seconds per megabyte when it is not what it should be; lists beyond it are read as JSON.
 */
const longestYaml = 2_000_000

/** Reads one document, JSON or YAML 1.2. Never throws. */
export const parseDocument = (text: string): ParsedDocument => {
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  if (json !== undefined) {
    return { outcome: "value", raw: json.value, lineOf: linesOfJson(text) }
  }
  if (text.length > longestYaml) return tooLong(text)
  const lines = new LineCounter()
  try {
    const document = parseYaml(text, { lineCounter: lines, prettyErrors: false })
    const [error] = document.errors
    if (error !== undefined) return syntaxError(error.message, lines.linePos(error.pos[0]).line)
    const raw: unknown = document.toJS({ maxAliasCount: 100 })
    if (raw === null) return { outcome: "empty" }
    return { outcome: "value", raw, lineOf: (path) => lineOfPath(document, lines, path) }
  } catch (error) {
    // The library throws for aliases that grow without bound and for nesting that exhausts the stack.
    return syntaxError(error instanceof Error ? error.message : String(error), 1)
  }
}

const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // Not JSON: flow style YAML, or an error whose line the YAML reader will tell.
    return undefined
  }
}

/** JSON is YAML, so the YAML reader finds its lines: slowly, so only a fault in a field sends it there. */
const linesOfJson = (text: string): ((path: string) => number) => {
  let reread: ((path: string) => number) | undefined
  const firstLine = (/^\s*/.exec(text)?.[0] ?? "").split("\n").length
  return (path) => {
    if (path === "" || text.length > longestYaml) return firstLine
    reread ??= linesOfYaml(text)
    return reread(path)
  }
}

const linesOfYaml = (text: string): ((path: string) => number) => {
  const lines = new LineCounter()
  const document = parseYaml(text, { lineCounter: lines, prettyErrors: false })
  return (path) => lineOfPath(document, lines, path)
}

const syntaxError = (message: string, line: number): ParsedDocument => {
  const [summary = ""] = message.split("\n")
  return { outcome: "error", reason: `not valid YAML: ${summary}`, remedy: "correct the syntax here", line }
}

const tooLong = (text: string): ParsedDocument => ({
  outcome: "error",
  reason: `a YAML document of ${Math.ceil(text.length / 1_000_000)} MB, more than an object can have`,
  remedy: "separate its objects by `---` lines, or write the list as JSON",
  line: 1
})
