import { Effect } from "effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { WrongUse } from "../query/query-error.ts"
import type { Plugins } from "./plugins.ts"

/** Loads an `istiod-lite.config.ts`, whose default export is what `controlPlane` gives. */
export const loadConfig = (path: string): Effect.Effect<Plugins, WrongUse> =>
  Effect.gen(function* () {
    const refuse = (reason: string) => new WrongUse({ message: `Cannot use the config ${path}: ${reason}` })
    const file = resolve(path)
    if (!existsSync(file)) return yield* refuse("there is no such file.")
    const module: unknown = yield* Effect.tryPromise({
      try: () => import(pathToFileURL(file).href) as Promise<unknown>,
      catch: (cause) => refuse(cause instanceof Error ? cause.message : String(cause))
    })
    const plugins =
      typeof module === "object" && module !== null && "default" in module ? module.default : undefined
    if (!isPlugins(plugins))
      return yield* refuse("write `export default controlPlane({ … })`, from @istiod-lite/app.")
    return plugins
  })

const isPlugins = (value: unknown): value is Plugins =>
  typeof value === "object" && value !== null && "registries" in value && Array.isArray(value.registries)
