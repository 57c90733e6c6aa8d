import { readFileSync } from "node:fs"
import type { KubeCluster } from "../../tools/kube-cluster/kube-cluster.ts"

interface Kubeconfig {
  readonly clusters: ReadonlyArray<{
    readonly name: string
    readonly cluster: { readonly server: string; readonly "certificate-authority": string }
  }>
}

/** A kubeconfig that carries its certificate authority, as secrets have to; of another server or token, if wanted. */
export const portable = (cluster: KubeCluster, server = cluster.server, token?: string): string => {
  const path = token === undefined ? cluster.kubeconfig : cluster.kubeconfigWith(token)
  const config = JSON.parse(readFileSync(path, "utf8")) as Kubeconfig
  const authority = readFileSync(config.clusters[0]?.cluster["certificate-authority"] ?? "").toString(
    "base64"
  )
  const clusters = [{ name: "test", cluster: { server, "certificate-authority-data": authority } }]
  return JSON.stringify({ ...config, clusters })
}

/** A secret that names further clusters: id → kubeconfig. */
export const secret = (name: string, clusters: Readonly<Record<string, string>>): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "istio-system", labels: { "istio/multiCluster": "true" } },
  data: Object.fromEntries(
    Object.entries(clusters).map(([id, kubeconfig]) => [id, Buffer.from(kubeconfig).toString("base64")])
  )
})
