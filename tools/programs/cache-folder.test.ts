import { assert, it } from "@effect/vitest"
import { cacheFolder } from "./cache-folder.ts"

it("cacheFolder is below XDG_CACHE_HOME when that is absolute, else below the home folder", () => {
  const home = { HOME: "/home/ann" }
  assert.strictEqual(cacheFolder(home), "/home/ann/.cache/istiod-lite")
  assert.strictEqual(cacheFolder({ ...home, XDG_CACHE_HOME: "/var/c" }), "/var/c/istiod-lite")
  assert.strictEqual(cacheFolder({ ...home, XDG_CACHE_HOME: "c" }), "/home/ann/.cache/istiod-lite")
})
