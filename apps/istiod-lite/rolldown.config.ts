import { defineConfig } from "rolldown"

/**
 * The program as files that need no `node_modules` and no compilation of types: what images run. Parts that are imported when
 * they are needed (API servers, files, recordings) stay files of their own.
 */
export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  output: { dir: "dist/bundle", format: "esm", cleanDir: true },
  // Of Kubernetes' client we use the reading of kubeconfigs; its 15 MB of models only define classes.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] }
})
