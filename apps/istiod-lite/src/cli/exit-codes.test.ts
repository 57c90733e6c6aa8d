import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCli, shop } from "../testing/run-cli.ts"

describe("exit code", () => {
  it.live.each([
    { args: ["services", "--bogus"], says: /Unrecognized flag: --bogus/ },
    { args: ["servcies"], says: /Unknown subcommand "servcies"/ },
    { args: ["endpoints"], says: /Missing required argument/ },
    { args: ["services", "-o", "xml"], says: /table/ },
    { args: ["services", "--cluster", "east"], says: /Expected: ID=PATH/ },
    { args: ["serve"], says: /Nothing to serve: name objects with --manifests PATH/ },
    { args: ["serve", "--manifests", shop, "--xds-port", "70000"], says: /Expected: 0 … 65535/ },
    { args: ["services", "--manifests", shop, "--server", "http://127.0.0.1:1"], says: /one of them/ },
    { args: ["services", "--server", "nonsense"], says: /is no URL/ },
    {
      args: ["services", "--manifests", shop, "--mcs-host"],
      says: /--mcs-host \(ENABLE_MCS_HOST\) needs --mcs-service-discovery/
    },
    {
      args: ["services", "--manifests", shop, "--mcs-service-discovery", "--mcs-cluster-local"],
      says: /needs --mcs-host/
    },
    { args: ["serve", "--manifests", shop, "--mcs-auto-export"], says: /writes to an API server/ }
  ])("2 for wrong use: $args", ({ args, says }) =>
    Effect.gen(function* () {
      const { code, err } = yield* runCli(...args)
      assert.strictEqual(code, 2)
      assert.match(err, says)
    })
  )

  it.live("3 when no server answers, with what to do", () =>
    Effect.gen(function* () {
      const { code, err } = yield* runCli("services", "--server", "http://127.0.0.1:1")
      assert.strictEqual(code, 3)
      assert.match(
        err,
        /Cannot reach a control plane at http:\/\/127\.0\.0\.1:1\. Start one with `istiod-lite serve`/
      )
    })
  )

  it.live("0 for help, which lists the commands with examples", () =>
    Effect.gen(function* () {
      const { code, out } = yield* runCli("--help")
      assert.strictEqual(code, 0)
      for (const command of ["serve", "check", "services", "endpoints", "render", "proxies", "clusters"])
        assert.match(out, new RegExp(`^ {2}${command} `, "m"))
      assert.match(out, /istiod-lite check examples\/shop/)
    })
  )
})
