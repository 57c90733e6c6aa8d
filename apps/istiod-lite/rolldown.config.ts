import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { defineConfig } from "rolldown"

const ofSourceKube = createRequire(join(import.meta.dirname, "../../packages/source-kube/package.json"))

/** The same program: characters beyond ASCII stand only in texts and patterns, where escapes mean the same. */
const inAscii = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * The program as files that need no `node_modules` and no compilation of types: what images run. Parts that are imported
 * when they are needed (API servers, files, recordings) stay files of their own.
 */
export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  resolve: {
    alias: {
      // Also that of Kubernetes' client, which brings the same version once more.
      undici$: join(import.meta.dirname, "../../tools/bundle/undici.cjs"),
      "undici-lib": join(dirname(ofSourceKube.resolve("undici")), "lib")
    }
  },
  plugins: [
    {
      // Of a text with a single character beyond Latin 1, V8 keeps two bytes for each, for as long as the program runs.
      name: "ASCII only",
      generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) if (file.type === "chunk") file.code = inAscii(file.code)
      }
    },
    {
      name: "files beside the program",
      generateBundle() {
        // Says that these files are CommonJS, whatever the package.json above says.
        this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' })
        const launcher = readFileSync(join(import.meta.dirname, "bin/istiod-lite.sh"))
        this.emitFile({ type: "asset", fileName: "istiod-lite.sh", source: launcher })
      }
    }
  ],
  // Read by a library that looks for the environment there, too.
  transform: { define: { "import.meta": "{}" } },
  // Of Kubernetes' client we use the reading of kubeconfigs; its 15 MB of models only define classes.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  output: {
    dir: "dist/bundle",
    // As a module of ES, `node:http` evaluates all that it can give, Node's own fetch among it: 15 ms and 3 MB.
    format: "cjs",
    cleanDir: true,
    // What is small is read sooner and takes less memory; names stay, for the stacks of defects.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } }
  }
})
