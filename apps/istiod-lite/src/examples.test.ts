import { assert, describe, it } from "@effect/vitest"
import { connectXdsTestClient } from "@istiod-lite/testkit"
import { endpointTypeUrl, resourceToJson } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { join } from "node:path"
import { examples } from "./testing/run-cli.ts"
import { spawnProgram } from "./testing/spawn-program.ts"

const cluster = "outbound|80||billing.internal"

/** What a plain client is told of the inventory's host, once the program serves. */
const billingOf = (script: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const program = yield* spawnProgram(script, args, { env })
    const [, port] = yield* program.until(/xDS listens on 127\.0\.0\.1:(\d+)/)
    const client = yield* connectXdsTestClient({ port: Number(port), node: "plain" })
    yield* client.subscribe(endpointTypeUrl, [cluster])
    const [resource] = (yield* client.next(endpointTypeUrl)).resources.values()
    return JSON.stringify(resource === undefined ? {} : resourceToJson(endpointTypeUrl, resource.bytes))
  })

describe("examples", () => {
  it.live(
    "custom-control-plane serves the machines of its inventory",
    () =>
      Effect.gen(function* () {
        const told = yield* billingOf(join(examples, "custom-control-plane/main.ts"), [], { XDS_PORT: "0" })
        assert.match(told, /10\.30\.0\.11.*10\.30\.0\.12/)
      }),
    60_000
  )

  it.live(
    "istiod-lite.config.ts adds a registry to the app",
    () =>
      Effect.gen(function* () {
        const main = join(import.meta.dirname, "main.ts")
        const config = join(examples, "istiod-lite.config.ts")
        const args = ["serve", "--config", config, "--xds-port", "0", "--admin-port", "0"]
        assert.match(yield* billingOf(main, args), /10\.30\.0\.11.*10\.30\.0\.12/)
      }),
    60_000
  )
})
