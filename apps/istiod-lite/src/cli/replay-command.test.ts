import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli, shop } from "../testing/run-cli.ts"
import { spawnProgram } from "../testing/spawn-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const main = join(import.meta.dirname, "../main.ts")

/** A mesh that is served and recorded, in which a machine gets a weight of 5. */
const recordShop = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const [manifests, recording] = [join(folder, "shop"), join(folder, "mesh.rec")]
  cpSync(shop, manifests, { recursive: true })
  const ports = ["--xds-port", "0", "--admin-port", "0"]
  const program = yield* spawnProgram(main, [
    "serve",
    "--manifests",
    manifests,
    "--record",
    recording,
    ...ports
  ])
  yield* program.until(/Recording to /)
  const erp = join(manifests, "erp.yaml")
  writeFileSync(erp, readFileSync(erp, "utf8").replace("weight: 3", "weight: 5"))
  yield* program.until(/erp-vm-large weight 5/)
  assert.strictEqual(yield* program.terminate, 0)
  return recording
})

const weightsIn = (json: string): ReadonlyArray<string> => json.match(/"lbWeight": \d+/g) ?? []

describe("replay", () => {
  it.live(
    "tells what happened, and queries answer for any moment",
    () =>
      Effect.gen(function* () {
        const recording = yield* recordShop
        const { code, out } = yield* runCli("replay", recording)
        assert.strictEqual(code, 0)
        const lines = out.split("\n")
        assert.match(lines[0] ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}start: 13 services$/)
        assert.match(lines[1] ?? "", / {2}WorkloadEntry legacy\/erp-vm-large$/)
        assert.match(
          lines[2] ?? "",
          /^ +legacy\/erp\.example\.internal: 2 endpoints \(erp-vm-large weight 5\)$/
        )

        const endpoints = (...when: ReadonlyArray<string>) =>
          runCli("endpoints", "erp.example.internal", "--replay", recording, "-o", "json", ...when)
        const now = yield* endpoints()
        assert.deepEqual(weightsIn(now.out), ['"lbWeight": 5', '"lbWeight": 1'])
        assert.match(now.err, /mesh\.rec: 2 transactions of 1 run, .* to .*; shown as of /)
        const [start = ""] = lines[0]?.split("  ") ?? []
        const then = yield* endpoints("--until", start)
        assert.deepEqual(weightsIn(then.out), ['"lbWeight": 3', '"lbWeight": 1'])

        truncateSync(recording, statSync(recording).size - 7)
        const cut = yield* endpoints()
        assert.deepEqual(weightsIn(cut.out), ['"lbWeight": 3', '"lbWeight": 1'])
        assert.match(
          cut.err,
          /mesh\.rec: its last \d+ bytes, from byte \d+, are no whole transaction and are left out/
        )
      }),
    60_000
  )

  it.live("refuses what makes no sense", () =>
    Effect.gen(function* () {
      const both = yield* runCli("services", "--replay", "x.rec", "--manifests", shop)
      assert.strictEqual(both.code, 2)
      const alone = yield* runCli("services", "--until", "14:03", "--manifests", shop)
      assert.strictEqual(alone.code, 2)
      assert.match(alone.err, /name it with --replay FILE/)
      const absent = yield* runCli("replay", "/no/such.rec")
      assert.strictEqual(absent.code, 1)
      assert.match(absent.err, /^istiod-lite: Cannot read the recording \/no\/such\.rec: ENOENT/)
    })
  )
})
