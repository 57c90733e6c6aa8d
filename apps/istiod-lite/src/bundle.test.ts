import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { serveApi } from "./testing/api-server.ts"
import { shop } from "./testing/run-cli.ts"
import { spawnProgram } from "./testing/spawn-program.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const app = join(import.meta.dirname, "..")
const rolldown = join(app, "../../node_modules/rolldown/bin/cli.mjs")

describe("the bundle", () => {
  it.live(
    "reads files and API servers, without node_modules",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const config = join(app, "rolldown.config.ts")
        execFileSync(process.execPath, [rolldown, "--config", config, "--dir", folder], {
          cwd: app,
          stdio: "ignore"
        })
        const run = (...args: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const program = yield* spawnProgram(join(folder, "main.js"), args)
            assert.strictEqual(yield* program.ended, 0)
            return program.output()
          })
        assert.match(yield* run("services", "--manifests", shop), /^cart\.shop\.svc\.cluster\.local /m)
        const { kubeconfig } = yield* serveApi
        assert.match(
          yield* run("clusters", "--kubeconfig", kubeconfig),
          /^Kubernetes +configuration +synced/m
        )
        const launched = execFileSync("sh", [join(folder, "istiod-lite.sh"), "--version"], {
          env: { ...process.env, ISTIOD_LITE_NODE: process.execPath },
          encoding: "utf8"
        })
        assert.match(launched, /^istiod-lite v/)
        const serving = ["serve", "--kubeconfig", kubeconfig, "--xds-port", "0", "--admin-port", "0"]
        const program = yield* spawnProgram(join(folder, "main.js"), serving)
        yield* program.until(/^1 service, 1 pod, 0 VMs, 0 automatic addresses, 1 cluster$/m)
        assert.strictEqual(yield* program.terminate, 0)
      }).pipe(Effect.scoped),
    60_000
  )
})
