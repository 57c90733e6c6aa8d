/** `npm start`: serves the example mesh, or what the arguments after `--` name instead; other arguments are added. */
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const main = join(root, "apps/istiod-lite/src/main.ts")
const given = process.argv.slice(2)
const example = ["--manifests", join("examples", "shop")]
const namesObjects = given.some((word) =>
  /^--(manifests|cluster|config|kubeconfig|in-cluster)(=|$)/.test(word)
)

// In this process, not in a child, and the script says `exec`: the TERM that npm passes on must reach the control
// plane itself, not a shell or a parent that dies and leaves it running.
process.argv.splice(1, Infinity, main, "serve", ...(namesObjects ? [] : example), ...given)
await import(main)
