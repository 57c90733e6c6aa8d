import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { cacheFolder } from "./cache-folder.ts"
import { go } from "./go.ts"

const folder = join(import.meta.dirname, "helm")

/** The path of the pinned helm, built when it is not in the user's cache folder. ISTIOD_LITE_HELM names another one. */
export const ensureHelm = async (say: (line: string) => void): Promise<string> => {
  const given = process.env["ISTIOD_LITE_HELM"]
  if (given !== undefined && given !== "") return given
  const pin = createHash("sha256")
    .update(readFileSync(join(folder, "go.sum")))
    .digest("hex")
    .slice(0, 12)
  const cached = join(cacheFolder(), `helm-${pin}`)
  const binary = join(cached, "helm")
  if (existsSync(binary)) return binary
  say(`building helm into ${cached}: about 1 min on 2 cores`)
  mkdirSync(cached, { recursive: true })
  const draft = join(cached, `.helm-${process.pid}`)
  const build = [
    "build",
    "-mod=readonly",
    "-trimpath",
    "-ldflags=-s -w",
    "-o",
    draft,
    "helm.sh/helm/v3/cmd/helm"
  ]
  await go("build helm", build, folder, "or ISTIOD_LITE_HELM set to a binary")
  renameSync(draft, binary)
  return binary
}
