import { defineConfig } from "vitest/config"

// Not a project of the root's vitest.config.ts: real programs and ports have no place in `npm test`.
export default defineConfig({
  test: {
    name: "e2e",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["./global-setup.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
