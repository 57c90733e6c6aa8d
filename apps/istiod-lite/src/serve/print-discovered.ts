import { ObjectSource, ServiceDiscovery } from "@istiod-lite/model"
import { Console, Effect } from "effect"
import { discoveredText } from "./discovered.ts"

/** Prints what has been discovered, on standard output. */
export const printDiscovered = Effect.gen(function* () {
  const discovery = yield* ServiceDiscovery
  const { clusters, config } = yield* ObjectSource
  yield* Console.log(
    discoveredText({
      services: [...discovery.services.values()],
      endpointsOf: (key) => discovery.endpoints.get(key)?.groups.flatMap(({ endpoints }) => endpoints) ?? [],
      pods: [...clusters.values()].reduce((sum, { objects }) => sum + objects.Pod.size, 0),
      machines: config.WorkloadEntry.size,
      clusters: clusters.size
    })
  )
})
