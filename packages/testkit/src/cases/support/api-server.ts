import { proxy } from "@istiod-lite/model/testing"
import { watchCluster } from "@istiod-lite/source-kube"
import { FakeApi, FakeKubeClient, type GivenObject } from "@istiod-lite/source-kube/testing"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { makeControlPlane } from "../../control-plane.ts"
import { cluster } from "./manifests.ts"
import { routable } from "./received.ts"

const web = proxy({ name: "web", namespace: "bakery" })

/** A control plane in memory that follows an API server, on the test clock. */
export const followedBakery = Effect.fnUntraced(
  function* (objects: ReadonlyArray<GivenObject>) {
    const api = new FakeApi()
    for (const object of objects) api.put(object)
    const client = new FakeKubeClient(api)
    const { graph, objects: source, resources, source: memory } = yield* makeControlPlane()
    yield* watchCluster({ client, cluster: source.configCluster, graph, store: memory.store })
    yield* TestClock.adjust(0)
    return {
      api,
      client,
      graph,
      slices: () => source.clusters.get(source.configCluster)?.objects.EndpointSlice.size,
      /** where a client may send requests for a service to */
      routable: (service: string) => routable(resources(endpointTypeUrl, [cluster(service)], web)[0]),
      watchOf: (plural: string) => [...client.watches].filter(({ path }) => path.endsWith(`/${plural}`))
    }
  },
  Effect.provideService(References.MinimumLogLevel, "Error")
)
