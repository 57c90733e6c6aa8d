import type { ControlPlane } from "./control-plane.ts"
import type { EnvoyEndpoint } from "./envoy.ts"

/** An endpoint as `istiod-lite endpoints -o json` prints it; absent fields have their default. */
interface IndexedEndpoint {
  readonly addresses: ReadonlyArray<string>
  readonly port: number
  readonly health?: string
  readonly lbWeight?: number
}

/** `<namespace>/<hostname>` → `<registry>/<cluster>` → endpoints. */
type EndpointIndex = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<IndexedEndpoint>>>>>

/** What Envoy must know of a host, by what the control plane says of it: all but terminating endpoints (S-62). */
export const indexedEndpoints = async (
  controlPlane: ControlPlane,
  host: string
): Promise<ReadonlyArray<EnvoyEndpoint>> => {
  const text = await controlPlane.query("endpoints", `${host}:80`, "-o", "json")
  return Object.values(JSON.parse(text) as EndpointIndex)
    .flatMap((shards) => Object.values(shards).flat())
    .filter(({ health }) => health !== "TERMINATING")
    .map(({ addresses, health = "HEALTHY", lbWeight = 1, port }) => ({
      address: addresses[0] ?? "",
      port,
      // Envoy takes an endpoint of unknown health for healthy.
      health: health === "UNKNOWN" ? "HEALTHY" : health,
      weight: Math.max(lbWeight, 1)
    }))
    .toSorted((a, b) => a.address.localeCompare(b.address))
}
