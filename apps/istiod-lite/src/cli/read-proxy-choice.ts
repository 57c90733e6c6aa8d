import { Effect, Schema } from "effect"
import type { ProxyChoice } from "../query/queries.ts"
import { readProxyName } from "../query/proxy-name.ts"
import { WrongUse } from "../query/query-error.ts"

/** A file with one proxy's description, or a name: `NAME.NAMESPACE` or `NAMESPACE/NAME`. */
export const readProxyChoice = (text: string, configCluster: string): Effect.Effect<ProxyChoice, WrongUse> =>
  Effect.flatMap(isFile(text), (isDescription) =>
    isDescription ? readDescription(text, configCluster) : Effect.succeed({ name: readProxyName(text) })
  )

/** `store/orders-1` may be either, and is a file if there is one. */
const isFile = (text: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    if (/\.(ya?ml|json)$/i.test(text) || /^[./~]|\/.*\//.test(text)) return true
    const { existsSync } = await import("node:fs")
    return text.includes("/") && existsSync(text)
  })

const readDescription = (path: string, configCluster: string): Effect.Effect<ProxyChoice, WrongUse> =>
  Effect.gen(function* () {
    const { readFile } = yield* Effect.promise(() => import("node:fs/promises"))
    const { parse } = yield* Effect.promise(() => import("yaml"))
    const { nodeOf, ProxyDescription } = yield* Effect.promise(() => import("@istiod-lite/model"))
    const text = yield* Effect.tryPromise({
      try: () => readFile(path, "utf8"),
      catch: () => unreadable(path, "there is no such file, or it may not be read.")
    })
    const raw = yield* Effect.try({
      try: (): unknown => parse(text),
      catch: (cause) => unreadable(path, cause instanceof Error ? cause.message : String(cause))
    })
    // A proxies.yaml of one entry means that entry.
    const entry: unknown = Array.isArray(raw) && raw.length === 1 ? raw[0] : raw
    const decode = Schema.decodeUnknownEffect(ProxyDescription, { errors: "all", onExcessProperty: "error" })
    const proxy = yield* Effect.mapError(decode(entry), ({ message }) => unreadable(path, message))
    return { node: nodeOf(proxy, configCluster) }
  })

const unreadable = (path: string, reason: string): WrongUse =>
  new WrongUse({ message: `Cannot read the proxy in ${path}: ${reason}` })
