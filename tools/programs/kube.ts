import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { cacheFolder } from "./cache-folder.ts"
import { go } from "./go.ts"
import { ProgramError } from "./program-error.ts"

const folder = join(import.meta.dirname, "kube")
const version = "v1.34.4"

/** A program of Kubernetes that is built from its Go module. */
interface Built {
  readonly name: string
  /** of the command in the module */
  readonly target: string
  /** names a ready binary instead */
  readonly variable: string
}

const apiServer: Built = {
  name: "kube-apiserver",
  target: "./apiserver",
  variable: "ISTIOD_LITE_KUBE_APISERVER"
}
const etcd: Built = { name: "etcd", target: "go.etcd.io/etcd/server/v3", variable: "ISTIOD_LITE_ETCD" }

const linkerFlags = [
  "-s -w",
  `-X k8s.io/component-base/version.gitVersion=${version}`,
  "-X k8s.io/component-base/version.gitMajor=1",
  "-X k8s.io/component-base/version.gitMinor=34",
  "-X k8s.io/component-base/version.gitTreeState=clean"
].join(" ")

/** A folder per pin: other modules or flags are built anew. */
const cachedIn = (): string => {
  const pins = [readFileSync(join(folder, "go.mod")), readFileSync(join(folder, "go.sum")), linkerFlags]
  const hash = pins.reduce((sum, pin) => sum.update(pin), createHash("sha256")).digest("hex")
  return join(cacheFolder(), `kube-${hash.slice(0, 12)}`)
}

const ensure = async (
  { name, target, variable }: Built,
  say: (line: string) => void,
  duration: string
): Promise<string> => {
  const given = process.env[variable]
  if (given !== undefined && given !== "") {
    if (existsSync(given)) return given
    throw new ProgramError(`Cannot use ${variable}: there is no file ${given}`, "")
  }
  const cached = cachedIn()
  const binary = join(cached, name)
  if (existsSync(binary)) return binary
  say(`building ${name} into ${cached}: ${duration} on 2 cores`)
  mkdirSync(cached, { recursive: true })
  const started = performance.now()
  const minutes = (): string => ((performance.now() - started) / 60_000).toFixed(1)
  const patience = setInterval(() => say(`still building ${name}: ${minutes()} min`), 30_000)
  const work = mkdtempSync(join(cached, ".build-"))
  try {
    const build = [
      "build",
      "-mod=readonly",
      "-trimpath",
      `-ldflags=${linkerFlags}`,
      "-o",
      join(work, name),
      target
    ]
    await go(`build ${name}`, build, folder, `or ${variable} set to a binary`)
    // A rename, so that a second run at the same time never starts half a binary.
    renameSync(join(work, name), binary)
  } finally {
    clearInterval(patience)
    rmSync(work, { recursive: true })
  }
  say(`${name} is there after ${minutes()} min`)
  return binary
}

/** The path of the pinned kube-apiserver, built when it is not in the user's cache folder. */
export const ensureApiServer = (say: (line: string) => void): Promise<string> =>
  ensure(apiServer, say, "about 5 min")

/** The same of etcd. */
export const ensureEtcd = (say: (line: string) => void): Promise<string> => ensure(etcd, say, "about 15 s")

/** The file with the CustomResourceDefinitions of Istio's kinds, from the module of Istio's API. */
export const ensureIstioCrds = async (): Promise<string> => {
  const given = process.env["ISTIOD_LITE_ISTIO_CRDS"]
  if (given !== undefined && given !== "") return given
  const answer = await go(
    "fetch the CRDs of Istio",
    ["mod", "download", "-json", "istio.io/api"],
    join(import.meta.dirname, "istio-api"),
    "or ISTIOD_LITE_ISTIO_CRDS set to customresourcedefinitions.gen.yaml of istio.io/api"
  )
  const module = JSON.parse(answer.slice(answer.indexOf("{"))) as { readonly Dir: string }
  return join(module.Dir, "kubernetes/customresourcedefinitions.gen.yaml")
}
