import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect, References, type Scope } from "effect"
import {
  makeServedControlPlane,
  type ServedControlPlane,
  type ServedControlPlaneOptions
} from "../../served-control-plane.ts"
import type { XdsStreamEnded, XdsTestClient } from "../../xds-test-client.ts"
import { cluster, endpointSlice, kubeService } from "./manifests.ts"
import { routable } from "./received.ts"

/** The cluster of the bakery's objects. */
export const home = "Kubernetes"

/** A served control plane that has these objects of the configuration cluster from the start. */
export const bakeryWith = (
  objects: ReadonlyArray<unknown>,
  options: ServedControlPlaneOptions = {}
): Effect.Effect<ServedControlPlane, never, Scope.Scope> =>
  makeServedControlPlane(options).pipe(
    Effect.tap(({ source }) =>
      Effect.sync(() => source.transaction(() => objects.forEach((one) => source.apply(home, one))))
    ),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )

/** Waits until a client may send requests for a service to exactly these addresses. */
export const waitForRoutable = (
  client: XdsTestClient,
  service: string,
  ...addresses: ReadonlyArray<string>
): Effect.Effect<void, XdsStreamEnded> =>
  client.waitFor(endpointTypeUrl, (resources) => {
    const resource = resources.get(cluster(service))
    return resource !== undefined && routable(resource).join() === addresses.toSorted().join()
  })

/**
 * Makes sure that a client has got everything that was to be sent because of earlier changes, so that a test can say
 * what was not sent: changes another service, and waits until the client has that.
 */
export const settle = (
  { source }: Pick<ServedControlPlane, "source">,
  client: XdsTestClient
): Effect.Effect<void, XdsStreamEnded> =>
  Effect.gen(function* () {
    const known = routable(client.resources(endpointTypeUrl).get(cluster("bell")))
    const next = known[0] === "198.51.100.1:8080" ? "198.51.100.2" : "198.51.100.1"
    source.transaction(() => {
      source.apply(home, kubeService("bell"))
      source.apply(home, endpointSlice("bell", next))
    })
    if (known.length === 0) yield* client.subscribe(endpointTypeUrl, [cluster("bell")])
    yield* waitForRoutable(client, "bell", `${next}:8080`)
  })
