import type { KubeConfig } from "@kubernetes/client-node"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { KubeConfigError } from "./kube-config-error.ts"
import { readKubeConfigDocument } from "./kubeconfig-document.ts"

/** Where credentials of an API server are. */
export type KubeConfigSource =
  | { readonly from: "file"; readonly file: string; readonly context?: string | undefined }
  /** the service account of the pod that this process runs in */
  | { readonly from: "pod" }
  /** the text of a kubeconfig; `subject` names it in errors */
  | { readonly from: "text"; readonly text: string; readonly subject: string }

/** Reads the credentials again, as they are now: files may have been replaced. */
export type LoadKubeConfig = () => KubeConfig

/** Where Kubernetes puts a pod's service account. */
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

/**
 * Reads a kubeconfig. The result reads it anew, for credentials that were replaced; it throws what is wrong then.
 *
 * The client library is loaded with the first use, and of it what reads kubeconfigs: all of it takes another half
 * second, and who serves files does without.
 */
export const loadKubeConfig = (
  source: KubeConfigSource
): Effect.Effect<{ readonly load: LoadKubeConfig; readonly config: KubeConfig }, KubeConfigError> =>
  Effect.promise(() => import("@kubernetes/client-node/dist/config.js")).pipe(
    Effect.flatMap(({ KubeConfig }) => {
      const load = (): KubeConfig => checked(source, read(source, new KubeConfig()))
      return Effect.try({
        try: () => ({ load, config: load() }),
        catch: (cause) =>
          cause instanceof KubeConfigError ? cause : kubeConfigError(source, messageOf(cause))
      })
    })
  )

const read = (source: KubeConfigSource, config: KubeConfig): KubeConfig => {
  if (source.from === "text") {
    parse(source, config, source.text, ".")
  } else if (source.from === "file") {
    const folder = dirname(source.file)
    parse(source, config, readKubeConfigFile(source.file), folder)
    // As kubectl does: paths in a kubeconfig are relative to it.
    config.makePathsAbsolute(folder)
    if (source.context !== undefined) config.setCurrentContext(source.context)
  } else {
    if (!existsSync(`${accountFolder}/token`)) {
      const remedy = "Run in a pod with a service account, or name a kubeconfig."
      throw kubeConfigError(source, "there is none", remedy)
    }
    config.loadFromCluster()
  }
  return config
}

const readKubeConfigFile = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    throw kubeConfigError({ from: "file", file }, messageOf(cause))
  }
}

const parse = (source: KubeConfigSource, config: KubeConfig, text: string, folder: string): void => {
  try {
    const document = readKubeConfigDocument(text)
    config.loadFromString(document.text)
    config.users = config.users.map((user) => {
      const tokenFile = document.tokenFiles.get(user.name)
      if (tokenFile === undefined) return user
      return {
        ...user,
        authProvider: { name: "tokenFile", config: { tokenFile: resolve(folder, tokenFile) } }
      }
    })
  } catch (cause) {
    throw kubeConfigError(source, messageOf(cause))
  }
}

/** The library takes what is missing for null, and says so only when it is used. */
const checked = (source: KubeConfigSource, config: KubeConfig): KubeConfig => {
  const name = config.getCurrentContext()
  const names = config.getContexts().map((context) => context.name)
  const known = names.length === 0 ? "It has none." : `Its contexts: ${names.join(", ")}.`
  if (!name) throw kubeConfigError(source, "current-context is not set", known)
  const context = config.getContextObject(name)
  if (context === null) throw kubeConfigError(source, `context ${name} is not in it`, known)
  const cluster = config.getCurrentCluster()
  if (cluster === null)
    throw kubeConfigError(source, `cluster ${context.cluster} of context ${name} is not in it`)
  if (config.getCurrentUser() === null) {
    throw kubeConfigError(source, `user ${context.user} of context ${name} is not in it`)
  }
  if (!/^https?:\/\/./.test(cluster.server)) {
    throw kubeConfigError(
      source,
      `clusters[${cluster.name}].cluster.server is no URL: ${cluster.server || "empty"}`,
      "Write https://HOST:PORT."
    )
  }
  // The library refuses http:// unless it is told not to verify what cannot be verified.
  config.clusters = config.clusters.map((one) =>
    one.server.startsWith("http:") ? { ...one, skipTLSVerify: true } : one
  )
  return config
}

const kubeConfigError = (source: KubeConfigSource, reason: string, remedy = ""): KubeConfigError => {
  const subject =
    source.from === "file"
      ? `kubeconfig ${source.file}`
      : source.from === "pod"
        ? "the service account of this pod"
        : source.subject
  return new KubeConfigError({ subject, reason, remedy })
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
