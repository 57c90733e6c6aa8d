import { defineConfig } from "vitest/config"

// Real API servers: built once, started per file; nothing of it has a place in `npm test`.
export default defineConfig({
  test: {
    name: "e2e-kube",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["./global-setup.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
