import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli, shop } from "../testing/run-cli.ts"
import { spawnProgram } from "../testing/spawn-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const main = join(import.meta.dirname, "../main.ts")
const goodService = `
apiVersion: v1
kind: Service
metadata: { name: good, namespace: shop }
spec: { clusterIP: 10.0.0.1, ports: [{ name: http, port: 80 }] }
`

const serviceEntry = (spec: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ext, namespace: shop }
spec: ${spec}
`

/** What \`check\` prints about one file beside a good one. */
const checkFile = (text: string | Uint8Array, name = "bad.yaml") =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, name), text)
    writeFileSync(join(folder, "good.yaml"), goodService)
    return yield* runCli("check", folder)
  })

describe("check", () => {
  it.live("has nothing to say about the example mesh", () =>
    Effect.gen(function* () {
      const { code, out } = yield* runCli("check", shop)
      assert.strictEqual(code, 0)
      assert.match(out, /^Good: 8 Service, 8 EndpointSlice, 20 Pod/)
    })
  )

  it.live.each([
    {
      fault: "broken YAML",
      text: "kind: Service\nmetadata: {name: [",
      says: /bad\.yaml:\d: .*not valid YAML/
    },
    {
      fault: "a wrong type",
      text: goodService.replace("port: 80", "port: eighty").replace("good", "bad"),
      says: /bad\.yaml:5: Cannot read Service shop\/bad: spec\.ports\[0\]\.port: .*received "eighty"\. Remedy: /
    },
    {
      fault: "an invalid IP",
      text: goodService.replace("10.0.0.1", "10.0.0.999").replace("good", "bad"),
      says: /bad\.yaml:5: Cannot read Service shop\/bad: spec\.clusterIP: expected an IP address: received "10\.0\.0\.999"/
    },
    {
      fault: "an invalid CIDR",
      text: serviceEntry(
        `{ hosts: [a.example], addresses: [10.0.0.0/99], resolution: DNS, ports: [{ number: 80, name: http, protocol: HTTP }] }`
      ),
      says: /bad\.yaml:5: .*ServiceEntry shop\/ext: spec\.addresses\[0\]: /
    },
    {
      fault: "a ServiceEntry without hosts",
      text: serviceEntry(`{ resolution: DNS, ports: [{ number: 80, name: http, protocol: HTTP }] }`),
      says: /bad\.yaml:\d: Cannot read ServiceEntry shop\/ext: spec\.hosts: /
    },
    {
      fault: "an object that stands in two files",
      text: goodService,
      says: /good\.yaml:\d: .*Service shop\/good.*bad\.yaml/
    }
  ])("explains $fault, and counts what is good", ({ says, text }) =>
    Effect.gen(function* () {
      const { code, err, out } = yield* checkFile(text)
      assert.strictEqual(code, 1)
      assert.match(out, says)
      assert.match(out, /^Good: .*1 Service\b/m)
      assert.match(err, /^istiod-lite: \d faults? found$/)
    })
  )

  it.live.each([
    {
      mistake: "a kind",
      text: serviceEntry("{}").replace("ServiceEntry", "ServiceEntrie"),
      says: /Doubtful ServiceEntrie shop\/ext: kind: .*Remedy: did you mean kind: ServiceEntry\?$/m
    },
    {
      mistake: "a field",
      text: goodService
        .replace("name: good", "name: other")
        .replace("ports:", "selectors: { app: a }, ports:"),
      says: /bad\.yaml:5: Doubtful Service shop\/other: spec\.selectors: unknown field\. Remedy: did you mean selector\?$/m
    }
  ])("asks what was meant by $mistake with a typing error", ({ says, text }) =>
    Effect.gen(function* () {
      const { code, out } = yield* checkFile(text)
      assert.strictEqual(code, 1)
      assert.match(out, says)
    })
  )

  it.live("holds objects against each other, unless told not to", () =>
    Effect.gen(function* () {
      const rule = "apiVersion: networking.istio.io/v1\nkind: DestinationRule\n"
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "good.yaml"), goodService)
      writeFileSync(
        join(folder, "rule.yaml"),
        `${rule}metadata: { name: r, namespace: shop }\nspec: { host: goood }\n`
      )
      const { code, err, out } = yield* runCli("check", folder)
      assert.strictEqual(code, 1)
      assert.match(
        out,
        /rule\.yaml:1: Doubtful DestinationRule shop\/r: spec\.host: .*did you mean good\.shop\.svc/
      )
      assert.strictEqual(err, "istiod-lite: 1 fault found")
      assert.strictEqual((yield* runCli("check", "--no-relations", folder)).code, 0)
    })
  )

  it.live("passes over kinds that discovery does not use, and says so", () =>
    Effect.gen(function* () {
      const { code, out } = yield* checkFile("apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\n")
      assert.strictEqual(code, 0)
      assert.match(out, /bad\.yaml:\d: Ignored Deployment .*discovery does not use Deployment of apps\/v1/)
    })
  )

  it.live("explains ten megabytes of noise in few lines", () =>
    Effect.gen(function* () {
      const noise = new Uint8Array(10_000_000)
      for (let at = 0, seed = 1; at < noise.length; at++) {
        seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
        noise[at] = seed >>> 16
      }
      const { code, err, out } = yield* checkFile(noise)
      assert.strictEqual(code, 1)
      assert.match(out, /bad\.yaml/)
      assert.isBelow(out.length + err.length, 2000)
    })
  )

  it.live("names a path that is not there", () =>
    Effect.gen(function* () {
      const { code, out } = yield* runCli("check", join(yield* temporaryFolder, "nowhere"))
      assert.strictEqual(code, 1)
      assert.match(out, /nowhere: Cannot read file: no such file or folder\. Remedy: /)
    })
  )

  it.live("names a folder that may not be read", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const locked = join(folder, "locked")
      mkdirSync(locked)
      chmodSync(locked, 0o000)
      yield* Effect.addFinalizer(() => Effect.sync(() => chmodSync(locked, 0o700)))
      const program = yield* spawnProgram(main, ["check", folder], { unprivileged: true })
      yield* program.until(/locked: Cannot read file: permission denied/)
      assert.strictEqual(yield* program.ended, 1)
    })
  )
})
