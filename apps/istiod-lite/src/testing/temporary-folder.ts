import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder of the test's own, removed with its scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "istiod-lite-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
