import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/** The user's cache folder for what this project fetches once (XDG base directory specification). */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string => {
  const base = env["XDG_CACHE_HOME"]
  // The specification says that a relative path is to be ignored.
  return join(
    base !== undefined && isAbsolute(base) ? base : join(env["HOME"] ?? homedir(), ".cache"),
    "istiod-lite"
  )
}
