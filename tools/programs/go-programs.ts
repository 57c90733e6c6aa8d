import { join } from "node:path"
import { go } from "./go.ts"
import { ensureGoProgram, type GoProgram } from "./go-program.ts"

type Say = (line: string) => void

const version = "v1.34.4"

const apiServer: GoProgram = {
  name: "kube-apiserver",
  folder: join(import.meta.dirname, "kube"),
  target: "./apiserver",
  linkerFlags: [
    "-s -w",
    `-X k8s.io/component-base/version.gitVersion=${version}`,
    "-X k8s.io/component-base/version.gitMajor=1",
    "-X k8s.io/component-base/version.gitMinor=34",
    "-X k8s.io/component-base/version.gitTreeState=clean"
  ].join(" "),
  variable: "ISTIOD_LITE_KUBE_APISERVER",
  duration: "about 5 min"
}

const etcd: GoProgram = {
  name: "etcd",
  folder: join(import.meta.dirname, "kube"),
  target: "go.etcd.io/etcd/server/v3",
  variable: "ISTIOD_LITE_ETCD",
  duration: "about 15 s"
}

const helm: GoProgram = {
  name: "helm",
  folder: join(import.meta.dirname, "helm"),
  target: "helm.sh/helm/v3/cmd/helm",
  variable: "ISTIOD_LITE_HELM",
  duration: "about 1 min"
}

const istiod: GoProgram = {
  name: "pilot-discovery",
  folder: join(import.meta.dirname, "istiod"),
  target: "istio.io/istio/pilot/cmd/pilot-discovery",
  variable: "ISTIOD_LITE_ISTIOD",
  duration: "about 5 min"
}

const xdsload: GoProgram = {
  name: "xdsload",
  folder: join(import.meta.dirname, "xdsload"),
  target: ".",
  variable: "ISTIOD_LITE_XDSLOAD",
  duration: "about 20 s"
}

/** The paths of the pinned programs, built when they are not in the user's cache folder. */
export const goPrograms = {
  "kube-apiserver": (say: Say) => ensureGoProgram(apiServer, say),
  etcd: (say: Say) => ensureGoProgram(etcd, say),
  helm: (say: Say) => ensureGoProgram(helm, say),
  istiod: (say: Say) => ensureGoProgram(istiod, say),
  xdsload: (say: Say) => ensureGoProgram(xdsload, say)
}

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
