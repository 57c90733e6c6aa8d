import type { WorkloadInstance } from "@istiod-lite/model"
import type { Findings, Searched } from "./findings.ts"

/** Machines whose address another workload of their network has too: clients are told of one of them (D-17). */
export const sharedWorkloadAddresses = ({ workloads: { byIp } }: Pick<Searched, "workloads">): Findings =>
  new Map(
    [...byIp.keys()].flatMap((ip) => {
      const networks = Map.groupBy(
        byIp.lookup(ip).map(([, workload]) => workload),
        ({ facts }) => facts.network
      )
      return [...networks.values()].flatMap((sharers) => {
        // Pods of a host's network share its address; only a machine claims one for itself.
        if (sharers.length < 2 || !sharers.some(({ kind }) => kind === "WorkloadEntry")) return []
        const names = sharers.map(nameOf).join(" and ")
        return [
          [`${ip} ${names}`, { kind: "SharedAddress", text: `${names} have one address: ${ip}` }] as const
        ]
      })
    })
  )

const nameOf = ({ kind, name, namespace }: WorkloadInstance): string => `${kind} ${namespace}/${name}`
