import {
  type Cidr,
  cidrContains,
  compareText,
  Label,
  type Labels,
  type MeshNetworks,
  type Namespace,
  parseCidr
} from "@istiod-lite/model"

/** How the addresses of one cluster are assigned to networks (S-17). */
export interface NetworkAssignment {
  /** the system namespace's label; empty if none */
  readonly ofNamespace: string
  /** the network whose settings name this cluster as a registry */
  readonly ofRegistry: string
  /** the widest first: of several that hold an address it is the first that counts, as in Istio */
  readonly cidrs: ReadonlyArray<{ readonly cidr: Cidr; readonly network: string }>
}

/** Reads the assignment of a cluster from the mesh networks settings and its system namespace. Ties go to the first name (D-14). */
export const networkAssignment = (
  networks: MeshNetworks,
  cluster: string,
  systemNamespace: Namespace | undefined
): NetworkAssignment => {
  const sorted = Object.entries(networks).toSorted(([a], [b]) => compareText(a, b))
  return {
    ofNamespace: systemNamespace?.meta.labels[Label.network] ?? "",
    ofRegistry:
      sorted.find(([, { endpoints }]) =>
        endpoints.some((entry) => "fromRegistry" in entry && entry.fromRegistry === cluster)
      )?.[0] ?? "",
    cidrs: sorted
      .flatMap(([network, { endpoints }]) =>
        endpoints.flatMap((entry) => {
          const cidr = "fromCidr" in entry ? parseCidr(entry.fromCidr) : undefined
          return cidr === undefined ? [] : [{ cidr, network }]
        })
      )
      .toSorted((a, b) => a.cidr.prefix - b.cidr.prefix)
  }
}

/** The network of an address: its workload's label, the system namespace's, the cluster's, the CIDR's (S-17). */
export const networkOf = (assignment: NetworkAssignment, labels: Labels, address: string): string =>
  labels[Label.network] ||
  assignment.ofNamespace ||
  assignment.ofRegistry ||
  (assignment.cidrs.find(({ cidr }) => cidrContains(cidr, address))?.network ?? "")

export const equalNetworkAssignments = (a: NetworkAssignment, b: NetworkAssignment): boolean =>
  JSON.stringify(a) === JSON.stringify(b)
