import { assert, it } from "@effect/vitest"

// vitest and type stripping need Node 24; a shell's own `node` may be older, so every entry point is an npm script.
it("runs on the Node of the workspace", () => {
  assert.match(process.version, /^v24\./)
})
