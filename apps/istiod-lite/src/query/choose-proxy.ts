import { type NodeIdentity, nodeOf, parseProxy, type Proxy, type WorkloadInstance } from "@istiod-lite/model"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Effect } from "effect"
import { nameOfConnection } from "./proxies-json.ts"
import type { ProxyChoice } from "./queries.ts"
import { NothingFound } from "./query-error.ts"

/** The proxy that a person means: one that is connected, else the sidecar that a workload of this name would have. */
export const chooseProxy = (
  choice: ProxyChoice,
  connections: ReadonlyArray<ConnectionInfo>,
  workloads: Iterable<WorkloadInstance>
): Effect.Effect<Proxy, NothingFound> => {
  if ("node" in choice) return Effect.succeed(parseProxy(choice.node))
  const { name } = choice
  const connected = connections.find((connection) => nameOfConnection(connection) === name)?.proxy
  if (connected !== undefined) return Effect.succeed(connected)
  const workload = [...workloads].find((one) => `${one.name}.${one.namespace}` === name)
  if (workload !== undefined) return Effect.succeed(parseProxy(sidecarOf(workload)))
  const message = `No connected proxy and no workload is called ${name}; names are NAME.NAMESPACE, such as cart-1.shop.`
  return Effect.fail(new NothingFound({ message }))
}

const sidecarOf = ({ cluster, facts, kind, name, namespace }: WorkloadInstance): NodeIdentity =>
  nodeOf(
    {
      name,
      type: kind === "Pod" ? "sidecar" : "vm",
      namespace,
      ips: facts.addresses,
      cluster,
      labels: facts.labels,
      locality: facts.locality,
      network: facts.network,
      node: facts.node,
      // spiffe://<trust domain>/ns/<namespace>/sa/<account>
      serviceAccount: facts.serviceAccount.split("/").at(-1) ?? ""
    },
    cluster
  )
