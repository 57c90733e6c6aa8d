import { ObjectSource, type Proxy, Registries, WorkloadExchange } from "@istiod-lite/model"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Effect } from "effect"
import { copyControlPlane } from "../compose/copy-control-plane.ts"
import type { Discovery } from "../compose/layer-discovery.ts"
import type { PlanAnswer } from "../plan/plan-answer.ts"
import { type NamedProxies, planChange } from "../plan/plan-change.ts"
import type { PlanRequest } from "../plan/plan-request.ts"
import { readChange } from "../plan/read-change.ts"
import { chooseProxy } from "./choose-proxy.ts"
import { nameOfConnection } from "./proxies-json.ts"
import { type NothingFound, WrongUse } from "./query-error.ts"

/** What a change would do to this control plane, which stays as it is: the change is applied to a copy. */
export const planQuery = (
  { cluster, deletes = false, manifests, proxies = [] }: PlanRequest,
  connections: ReadonlyArray<ConnectionInfo>
): Effect.Effect<PlanAnswer, NothingFound | WrongUse, Discovery> =>
  Effect.gen(function* () {
    const source = yield* ObjectSource
    if (cluster !== undefined && source.clusters.get(cluster) === undefined)
      return yield* new WrongUse({
        message: `There is no cluster ${cluster}; \`istiod-lite clusters\` lists them.`
      })
    const { faults, objects } = readChange({ manifests, deletes, cluster }, source)
    if (faults.length > 0)
      return yield* new WrongUse({ message: `The change has faults:\n${faults.join("\n")}` })
    if (objects.length === 0)
      return yield* new WrongUse({ message: "The change holds no object that discovery uses." })
    const named = proxies.length === 0 ? connected(connections) : yield* choose(proxies, connections)
    return yield* planOnCopy(objects, named)
  })

const planOnCopy = (
  objects: ReturnType<typeof readChange>["objects"],
  proxies: NamedProxies
): Effect.Effect<PlanAnswer, never, Discovery> =>
  copyControlPlane.pipe(
    // The registries of a copy are the app's own, and none of them fails.
    Effect.orDie,
    Effect.flatMap((copy) => planChange(copy, objects, proxies)),
    Effect.scoped
  )

const connected = (connections: ReadonlyArray<ConnectionInfo>): NamedProxies =>
  new Map(
    connections.flatMap((connection) =>
      connection.proxy === undefined ? [] : [[nameOfConnection(connection), connection.proxy]]
    )
  )

const choose = (
  choices: NonNullable<PlanRequest["proxies"]>,
  connections: ReadonlyArray<ConnectionInfo>
): Effect.Effect<NamedProxies, NothingFound, WorkloadExchange | Registries | ObjectSource> =>
  Effect.gen(function* () {
    const directory = {
      workloads: yield* WorkloadExchange,
      registries: yield* Registries,
      objects: yield* ObjectSource
    }
    const chosen = new Map<string, Proxy>()
    for (const choice of choices) {
      const proxy = yield* chooseProxy(choice, connections, directory)
      chosen.set("name" in choice ? choice.name : `${proxy.name}.${proxy.namespace}`, proxy)
    }
    return chosen
  })
