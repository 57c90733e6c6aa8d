import { assert, describe, it } from "@effect/vitest"
import { ServiceDiscovery } from "@istiod-lite/model"
import { Effect, Option } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { shopOptions } from "../testing/shop-source.ts"
import { readAddressState } from "./address-state.ts"
import { fileSource } from "./file-source.ts"
import { layerDiscovery } from "./layer-discovery.ts"
import { controlPlane } from "./plugins.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "address-state-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const addressesOf = (file: string, serves: boolean) =>
  Effect.map(ServiceDiscovery, ({ services }) =>
    Object.fromEntries(
      [...services.values()]
        .filter(({ autoAllocatedIpv4 }) => autoAllocatedIpv4 !== "")
        .map(({ autoAllocatedIpv4, hostname }) => [hostname, autoAllocatedIpv4])
    )
  ).pipe(
    Effect.provide(
      layerDiscovery(
        controlPlane(),
        fileSource(
          { ...shopOptions, addressMode: Option.some("status"), addressState: Option.some(file) },
          serves
        )
      )
    )
  )

describe("--address-state", () => {
  it.live("keeps what was given, so that a restart changes no address", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "addresses.json")
      const first = yield* addressesOf(file, true)
      assert.lengthOf(Object.keys(first), 5)
      assert.strictEqual((yield* readAddressState(file))?.ipv4.next, "240.240.0.6")
      assert.deepEqual(yield* addressesOf(file, true), first)
    })
  )

  it.live("is read by a query, and left as it is", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "addresses.json")
      assert.lengthOf(Object.keys(yield* addressesOf(file, false)), 5)
      assert.isFalse(existsSync(file))
    })
  )

  it.live("refuses a file that is damaged, and says what to do", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "addresses.json")
      writeFileSync(file, '{"ipv4": {"next": 7}}')
      const error = yield* Effect.flip(readAddressState(file))
      assert.match(
        error.message,
        /^Cannot read the automatic addresses in .*addresses\.json: .*Restore the file/s
      )
      assert.strictEqual(readFileSync(file, "utf8"), '{"ipv4": {"next": 7}}')
    })
  )

  it.live("is refused in a mode that computes its addresses", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "addresses.json")
      const source = fileSource({ ...shopOptions, addressState: Option.some(file) }, true)
      const error = yield* Effect.flip(Effect.provide(Effect.void, layerDiscovery(controlPlane(), source)))
      assert.include(error.message, "--address-mode status")
    })
  )
})
