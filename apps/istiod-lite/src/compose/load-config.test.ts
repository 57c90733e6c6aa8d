import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { loadConfig } from "./load-config.ts"

describe("loadConfig", () => {
  it.live.each([
    { fault: "no default export", text: "export const plugins = []\n", says: /export default controlPlane/ },
    { fault: "an error of its own", text: "throw new Error('no token')\n", says: /no token/ },
    { fault: "broken syntax", text: "export default {{\n", says: /Cannot use the config/ }
  ])("refuses a file with $fault", ({ says, text }) =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "istiod-lite.config.ts")
      writeFileSync(file, text)
      const error = yield* Effect.flip(loadConfig(file))
      assert.strictEqual(error._tag, "WrongUse")
      assert.match(error.message, says)
    })
  )

  it.live("refuses a file that is not there", () =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(loadConfig("nowhere.config.ts"))).message, /there is no such file/)
    })
  )
})
