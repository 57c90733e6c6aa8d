import type { KubeConfig } from "@kubernetes/client-node"
import type { RawListed } from "./watch-event.ts"

/** Secrets with this label hold the credentials of further clusters (S-22). */
export const clusterSecretLabel = "istio/multiCluster=true"

/** A secret: each key of its data is the id of a cluster, the value a kubeconfig in base64. */
export interface ClusterSecret extends RawListed {
  readonly data?: Readonly<Record<string, string>>
}

/** Anything with data may be a secret: it is looked at key by key. */
export const isClusterSecret = (raw: RawListed): raw is ClusterSecret => "data" in raw

/** A cluster as a secret names it. */
export interface NamedCluster {
  readonly cluster: string
  readonly secret: string
  readonly kubeconfig: string
}

/**
 * The clusters that secrets name. Of two secrets for one cluster the first by name counts; the configuration cluster is
 * known already, so a secret for it does not count.
 */
export const clustersOf = (
  secrets: Iterable<ClusterSecret>,
  configCluster: string
): { readonly clusters: ReadonlyMap<string, NamedCluster>; readonly faults: ReadonlyArray<string> } => {
  const clusters = new Map<string, NamedCluster>()
  const faults: Array<string> = []
  const named = [...secrets].flatMap(({ data = {}, metadata }) =>
    Object.entries(data).map(([cluster, encoded]) => ({ cluster, encoded, secret: metadata?.name ?? "" }))
  )
  const inOrder = named.toSorted((a, b) => (a.secret < b.secret ? -1 : a.secret > b.secret ? 1 : 0))
  for (const { cluster, encoded, secret } of inOrder) {
    const other = clusters.get(cluster)
    if (cluster === configCluster) {
      faults.push(`Secret ${secret}: cluster ${cluster} is the configuration cluster itself, it is left out.`)
    } else if (other !== undefined) {
      faults.push(`Secret ${secret}: cluster ${cluster} is in secret ${other.secret} already, which counts.`)
    } else {
      clusters.set(cluster, { cluster, secret, kubeconfig: Buffer.from(encoded, "base64").toString("utf8") })
    }
  }
  return { clusters, faults }
}

/**
 * What of a kubeconfig must not come from a secret: it would let who may write secrets run programs here, or read files
 * of this process. Istio refuses the same, and allows single ones by the same names
 * (PILOT_INSECURE_MULTICLUSTER_KUBECONFIG_OPTIONS).
 */
export const unsafeSettings = (
  config: KubeConfig,
  allowed: ReadonlySet<string> = new Set()
): ReadonlyArray<string> => {
  const names = config
    .getUsers()
    .flatMap(({ authProvider, certFile, exec, keyFile }) => [
      ...(exec ? ["exec"] : []),
      ...(certFile ? ["clientCertificate"] : []),
      ...(keyFile ? ["clientKey"] : []),
      ...(isProvider(authProvider) && authProvider.name !== "oidc" ? [authProvider.name] : [])
    ])
  return [...new Set(names)].filter((name) => !allowed.has(name))
}

const isProvider = (value: unknown): value is { readonly name: string } =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
