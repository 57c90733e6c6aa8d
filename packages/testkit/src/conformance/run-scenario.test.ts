import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { scenarioLines, summaryLines } from "./report.ts"
import { runScenario } from "./run-scenario.ts"

const bank = {
  creationTime: "2026-01-01T00:00:00Z",
  defaultAddress: "198.51.100.1",
  hostname: "bank.example",
  meshExternal: true,
  name: "bank.example",
  namespace: "shop",
  objectName: "bank",
  ports: [{ name: "tls", number: 443, protocol: "TLS" }],
  registry: "External",
  resolution: "clientSideLB"
}

const scenario = {
  "scenario.yaml": "title: One entry",
  "istio.yaml": `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: bank, namespace: shop}
spec:
  hosts: [bank.example]
  addresses: [198.51.100.1]
  ports: [{number: 443, name: tls, protocol: TLS}]
  resolution: STATIC
`,
  "expected/services.json": JSON.stringify([bank])
}

/** Runs a scenario that consists of these files, and gives the report's lines. */
const linesOf = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    for (const [name, text] of Object.entries({ ...scenario, ...files })) {
      const path = name.startsWith("overlays/") ? join(root, name) : join(root, "area/name", name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const result = yield* runScenario(join(root, "area/name"), { overlays: join(root, "overlays") })
    return [...scenarioLines(result, false), ...summaryLines([result]).slice(-1)]
  })

const overlay = (value: string, was: string) => ({
  "overlays/area/name/services.json.patch.json": JSON.stringify([
    {
      d: "D-1",
      patch: [
        { op: "test", path: "/0/defaultAddress", value: was },
        { op: "replace", path: "/0/defaultAddress", value }
      ]
    }
  ])
})

const expecting = (fields: object) => ({ "expected/services.json": JSON.stringify([{ ...bank, ...fields }]) })

describe("runScenario", () => {
  it.effect("passes what is equal", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* linesOf({}), ["passed area/name", "1 passed, 0 failed"])
    })
  )

  it.effect("fails what differs, with the place and both sides", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* linesOf(expecting({ resolution: "dnsLB" })), [
        "FAILED area/name",
        "  services.json $[bank.example shop External bank 198.51.100.1].resolution",
        '    expected "dnsLB"',
        '    got      "clientSideLB"',
        "0 passed, 1 failed"
      ])
    })
  )

  it.effect("names the difference that a patch stands for", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf({
        ...expecting({ defaultAddress: "198.51.100.9" }),
        ...overlay("198.51.100.1", "198.51.100.9")
      })
      assert.deepEqual(lines, ["passed (D-1) area/name", "1 passed, 0 failed"])
    })
  )

  it.effect("fails a patch that is not needed", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(overlay("198.51.100.9", "198.51.100.1"))
      assert.include(lines, "  services.json: patch D-1: is not needed")
    })
  )

  it.effect("fails a patch whose golden has changed", () =>
    Effect.gen(function* () {
      const [first, second] = yield* linesOf(overlay("198.51.100.1", "198.51.100.7"))
      assert.strictEqual(first, "FAILED area/name")
      assert.match(second ?? "", /patch D-1: does not apply/)
    })
  )

  it.effect("fails an overlay for a file that is not there", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf({ "overlays/area/name/web.eds.json.patch.json": "[]" })
      assert.include(lines, "  overlay web.eds.json: the scenario has no such expected file")
    })
  )

  it.effect("lets right/ replace what istiod got wrong", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf({
        ...expecting({ resolution: "dnsLB" }),
        "right/services.json": JSON.stringify([{ ...bank, labels: {} }])
      })
      assert.include(lines, "passed area/name")
    })
  )

  it.effect("fails loudly on a switch that it does not know", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf({ "scenario.yaml": "{title: x, env: {PILOT_MAGIC: 'true'}}" })
      assert.match(lines.join(), /no configuration of ours stands for PILOT_MAGIC/)
    })
  )

  it.effect("fails on files of unknown kinds and proxies", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf({ "expected/secrets.json": "{}", "expected/web.eds.json": "{}" })
      assert.lengthOf(
        lines.filter((line) => line.includes("is of no known kind")),
        2
      )
    })
  )

  it.effect("fails on gateways where the scenario has none", () =>
    Effect.gen(function* () {
      const networks =
        "far: {endpoints: [{fromRegistry: east}], gateways: [{address: 192.0.2.1, port: 15443}]}"
      const lines = yield* linesOf({ "scenario.yaml": `{title: x, meshNetworks: {networks: {${networks}}}}` })
      assert.include(lines, "  gateways.json $[far  192.0.2.1 15443]")
    })
  )

  it.effect("fails a scenario that cannot be read", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf({ "scenario.yaml": "title: [" })
      assert.strictEqual(lines[0], "FAILED area/name")
      assert.match(lines[1] ?? "", /Cannot run scenario area\/name/)
    })
  )
})
