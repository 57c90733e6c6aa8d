import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startChild, untilReady } from "./child.ts"
import { envoyBootstrap, type EnvoyOptions } from "./envoy-bootstrap.ts"

/** An endpoint as Envoy knows it. */
export interface EnvoyEndpoint {
  readonly address: string
  readonly port: number
  /** The health that the control plane gave: HEALTHY, UNHEALTHY, DRAINING … */
  readonly health: string
  readonly weight: number
}

/** A running Envoy. */
export interface Envoy extends AsyncDisposable {
  /** Its endpoints of a cluster by address, from its admin port. */
  readonly endpoints: (cluster: string) => Promise<ReadonlyArray<EnvoyEndpoint>>
  /** The value of one of its counters or gauges. */
  readonly stat: (name: string) => Promise<number>
}

interface ClustersJson {
  readonly cluster_statuses?: ReadonlyArray<{
    readonly name: string
    readonly host_statuses?: ReadonlyArray<{
      readonly address: { readonly socket_address: { readonly address: string; readonly port_value: number } }
      readonly health_status: { readonly eds_health_status: string }
      readonly weight: number
    }>
  }>
}

const endpointsOf = (json: ClustersJson, cluster: string): ReadonlyArray<EnvoyEndpoint> =>
  (json.cluster_statuses?.find(({ name }) => name === cluster)?.host_statuses ?? [])
    .map(({ address: { socket_address: at }, health_status, weight }) => ({
      address: at.address,
      port: at.port_value,
      health: health_status.eds_health_status,
      weight
    }))
    .toSorted((a, b) => a.address.localeCompare(b.address))

/** Starts the binary at `path` and waits until it serves; its files go into `folder`. */
export const startEnvoy = async (path: string, folder: string, options: EnvoyOptions): Promise<Envoy> => {
  const config = join(folder, "envoy.json")
  writeFileSync(config, JSON.stringify(envoyBootstrap(options)))
  // Two Envoys on one machine must not share a base id.
  const child = startChild(path, ["-c", config, "--use-dynamic-base-id", "--concurrency", "1", "-l", "warn"])
  const admin = `http://127.0.0.1:${options.adminPort}`
  await untilReady("Envoy", child, `${admin}/ready`)
  return {
    endpoints: async (cluster) => {
      const answer = await fetch(`${admin}/clusters?format=json`)
      return endpointsOf((await answer.json()) as ClustersJson, cluster)
    },
    stat: async (name) => {
      const filter = encodeURIComponent(`^${name.replaceAll(/[.|]/g, String.raw`\$&`)}$`)
      const answer = await fetch(`${admin}/stats?format=json&filter=${filter}`)
      const { stats } = (await answer.json()) as { readonly stats: ReadonlyArray<{ readonly value: number }> }
      const [found] = stats
      if (found === undefined) throw new Error(`Envoy has no stat ${name}`)
      return found.value
    },
    [Symbol.asyncDispose]: async () => void (await child.terminate())
  }
}
