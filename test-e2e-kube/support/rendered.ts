import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../tools/run-command.ts"
import type { KubeCluster } from "../../tools/kube-cluster/kube-cluster.ts"

const launcher = join(import.meta.dirname, "../../apps/istiod-lite/bin/istiod-lite.cjs")

interface Rendered {
  readonly eds?: Readonly<
    Record<
      string,
      {
        readonly endpoints?: ReadonlyArray<{
          readonly lbEndpoints?: ReadonlyArray<{
            readonly endpoint?: {
              readonly address?: {
                readonly socketAddress?: { readonly address?: string; readonly portValue?: number }
              }
            }
          }>
        }>
      }
    >
  >
}

/**
 * What a client in namespace shop is to hold: a fresh process reads the API server's objects, renders, and ends. Endpoints
 * as `address:port`, sorted, by cluster name.
 *
 * @param more further arguments, such as switches that the running control plane has
 */
export const rendered = async (
  cluster: KubeCluster,
  ...more: ReadonlyArray<string>
): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const proxy = join(cluster.folder, "client.yaml")
  writeFileSync(
    proxy,
    "name: client\ntype: sidecar\nnamespace: shop\nips: [192.0.2.99]\ncluster: Kubernetes\n"
  )
  const args = ["render", "--kubeconfig", cluster.kubeconfig, "--proxy", proxy, "-o", "json", ...more]
  const { code, output } = await runCommand(process.execPath, [launcher, ...args])
  if (code !== 0) throw new Error(`istiod-lite ${args.join(" ")} ended with ${code}: ${output}`)
  const { eds = {} } = JSON.parse(output) as Rendered
  return Object.fromEntries(
    Object.entries(eds).map(([name, { endpoints = [] }]) => [
      name,
      endpoints
        .flatMap(({ lbEndpoints = [] }) => lbEndpoints)
        .map(({ endpoint }) => {
          const at = endpoint?.address?.socketAddress
          return `${at?.address}:${at?.portValue}`
        })
        .toSorted()
    ])
  )
}
