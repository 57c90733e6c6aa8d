import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { defineConfig } from "rolldown"

const ofSourceKube = createRequire(join(import.meta.dirname, "../../packages/source-kube/package.json"))

/**
 * The program as files that need no `node_modules` and no compilation of types: what images run. Parts that are imported
 * when they are needed (API servers, files, recordings) stay files of their own.
 */
export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  // Kubernetes' client brings the same version of undici once more.
  resolve: { alias: { undici: ofSourceKube.resolve("undici") } },
  plugins: [
    {
      name: "files beside the program",
      generateBundle() {
        // Says where there is no other package.json that these files are modules.
        this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "module" }\n' })
        const launcher = readFileSync(join(import.meta.dirname, "bin/istiod-lite.sh"))
        this.emitFile({ type: "asset", fileName: "istiod-lite.sh", source: launcher })
      }
    }
  ],
  // Of Kubernetes' client we use the reading of kubeconfigs; its 15 MB of models only define classes.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  output: {
    dir: "dist/bundle",
    format: "esm",
    cleanDir: true,
    // What is small is read sooner and takes less memory; names stay, for the stacks of defects.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } }
  }
})
