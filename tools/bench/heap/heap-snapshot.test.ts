import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand } from "../../run-command.ts"
import { summarizeHeap } from "./heap-snapshot.ts"

describe("summarizeHeap", () => {
  it("counts what lives in a real heap, plain objects by their properties", async () => {
    const folder = mkdtempSync(join(tmpdir(), "istiod-lite-heap-"))
    const file = join(folder, "it.heapsnapshot")
    const program = `
      class Slice { constructor(n) { this.n = n } }
      globalThis.slices = Array.from({ length: 300 }, (_, n) => new Slice({}))
      globalThis.endpoints = Array.from({ length: 500 }, (_, n) =>
        ({ address: "10.0.0." + n, labels: {}, locality: [], node: {}, weight: {} }))
      require("node:v8").writeHeapSnapshot(${JSON.stringify(file)})`
    const { code, output } = await runCommand(process.execPath, ["-e", program])
    assert.strictEqual(code, 0, output)
    const shares = summarizeHeap(readFileSync(file, "utf8"))
    rmSync(folder, { recursive: true })
    assert.strictEqual(shares.get("Slice")?.count, 300)
    const endpoint = shares.get("{address, labels, locality, node, …}")
    // V8 has one of its own to make others from.
    assert.include([500, 501], endpoint?.count)
    // A header of three words and five properties.
    assert.strictEqual(endpoint?.bytes, 64 * endpoint!.count)
    assert.isAbove(shares.get("code")?.bytes ?? 0, 10_000)
  })
})
