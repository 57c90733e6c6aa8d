import {
  type NodeIdentity,
  nodeOf,
  objectKey,
  type ObjectSource,
  parseProxy,
  type Proxy,
  type Registries,
  type WorkloadExchange,
  type WorkloadInstance
} from "@istiod-lite/model"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Effect } from "effect"
import { nameOfConnection } from "./proxies-json.ts"
import type { ProxyChoice } from "./queries.ts"
import { NothingFound } from "./query-error.ts"

/** What is known of workloads that proxies run beside. */
export interface ProxyDirectory {
  readonly workloads: WorkloadExchange["Service"]
  readonly registries: Registries["Service"]
  readonly objects: ObjectSource["Service"]
}

/**
 * The proxy that a person means: one that is connected, else the sidecar that a workload of this name would have, ready
 * or not: a pod's proxy connects before the pod is ready.
 */
export const chooseProxy = (
  choice: ProxyChoice,
  connections: ReadonlyArray<ConnectionInfo>,
  directory: ProxyDirectory
): Effect.Effect<Proxy, NothingFound> => {
  if ("node" in choice) return Effect.succeed(parseProxy(choice.node))
  const { name } = choice
  const connected = connections.find((connection) => nameOfConnection(connection) === name)?.proxy
  if (connected !== undefined) return Effect.succeed(connected)
  const workload = [...directory.workloads.all.values()].find((one) => nameOf(one) === name)
  const node = workload === undefined ? sidecarOfKnown(directory, name) : sidecarOf(workload)
  if (node !== undefined) return Effect.succeed(parseProxy(node))
  const message = `No connected proxy and no workload is called ${name}; names are NAME.NAMESPACE, such as cart-1.shop.`
  return Effect.fail(new NothingFound({ message }))
}

const nameOf = ({ name, namespace }: { readonly name: string; readonly namespace: string }): string =>
  `${name}.${namespace}`

/** The sidecar of a proxy that a registry knows, whose workload is not there to be selected (S-18). */
const sidecarOfKnown = (
  { objects, registries }: ProxyDirectory,
  wanted: string
): NodeIdentity | undefined => {
  for (const { cluster, proxies } of registries.all.values())
    for (const known of proxies?.values() ?? []) {
      if (nameOf(known) !== wanted) continue
      const { ips, labels, locality, name, namespace, network } = known
      const pod = objects.clusters.get(cluster)?.objects.Pod.get(objectKey({ namespace, name }))
      const { node = "", serviceAccount = "" } = pod ?? {}
      const facts = { ips, cluster, labels, locality, network, node, serviceAccount }
      return nodeOf({ name, namespace, type: "sidecar", ...facts }, cluster)
    }
  return undefined
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
