import { assert, describe, it } from "@effect/vitest"
import { connectXdsTestClient } from "@istiod-lite/testkit"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli, shop } from "../testing/run-cli.ts"
import { spawnProgram } from "../testing/spawn-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const machine = `apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: { name: erp-vm-large, namespace: legacy }
`

const changeFile = Effect.map(temporaryFolder, (folder) => {
  const file = join(folder, "change.yaml")
  writeFileSync(file, machine)
  return file
})

describe("plan", () => {
  it.live("shows the change on files, and ends with 1 when something is lost", () =>
    Effect.gen(function* () {
      const file = yield* changeFile
      const lost = yield* runCli("plan", "-f", file, "--delete", "--manifests", shop)
      assert.strictEqual(lost.code, 1)
      assert.match(
        lost.out,
        /^legacy\/erp\.example\.internal: changed, 2 → 1 endpoint\n {2}- 10\.20\.0\.21:8000/m
      )
      assert.match(lost.out, /^No proxy is connected or named/m)
      assert.match(lost.out, /^Would be lost: 1 endpoint\.$/m)
      const absent = yield* runCli("plan", "-f", "/no/such/file", "--manifests", shop)
      assert.strictEqual(absent.code, 2)
    })
  )

  it.live(
    "asks a running control plane for the views of all connected proxies; nothing changes there",
    () =>
      Effect.gen(function* () {
        const file = yield* changeFile
        const ports = ["--xds-port", "0", "--admin-port", "0"]
        const main = join(import.meta.dirname, "../main.ts")
        const program = yield* spawnProgram(main, ["serve", "--manifests", shop, ...ports])
        const [, xds] = yield* program.until(/xDS listens on 127\.0\.0\.1:(\d+)/)
        const [, admin = ""] = yield* program.until(/Admin listens on (http:\S+)/)
        const client = yield* connectXdsTestClient({ port: Number(xds), node: "edge-1", delta: true })
        const erp = "outbound|80||erp.example.internal"
        yield* client.subscribe(endpointTypeUrl, [erp])
        yield* client.waitFor(endpointTypeUrl, (resources) => resources.has(erp))

        const state = () =>
          Effect.map(
            Effect.all([
              runCli("services", "--server", admin, "-o", "json"),
              runCli("endpoints", "erp", "--server", admin, "-o", "json"),
              runCli("proxies", "--server", admin, "-o", "json")
            ]),
            (answers) => answers.map(({ out }) => out)
          )
        const before = yield* state()
        const { code, out } = yield* runCli("plan", "-f", file, "--delete", "--server", admin)
        assert.strictEqual(code, 1)
        assert.match(
          out,
          /^edge-1 would see:\n {2}outbound\|80\|\|erp\.example\.internal: changed, 2 → 1 endpoint/m
        )
        assert.deepEqual(yield* state(), before)
        assert.notMatch(program.output(), /pushed/)
        const post = (body: string) =>
          Effect.promise(async () => {
            const response = await fetch(`${admin}/api/v1/plan`, { method: "POST", body })
            return `${response.status} ${await response.text()}`
          })
        assert.match(yield* post("{"), /^400 .*it is no JSON/)
        assert.match(yield* post('{"manifests": 7}'), /^400 .*manifests/)
        assert.match(yield* post('{"manifests": "kind: x"}'), /^400 .*The change has faults/)
        assert.strictEqual(yield* program.terminate, 0)
      }),
    60_000
  )
})
