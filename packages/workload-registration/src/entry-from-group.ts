import type { Proxy, RawObject, WorkloadGroup } from "@istiod-lite/model"
import { groupAnnotation, healthChecksAnnotation, probeAnnotation } from "./annotations.ts"
import { entryName } from "./entry-name.ts"

export const workloadEntryApi = { apiVersion: "networking.istio.io/v1", kind: "WorkloadEntry" } as const

/** What a machine asks for when its proxy connects. */
export interface RegistrationRequest {
  readonly group: string
  readonly namespace: string
  readonly address: string
  readonly network: string
  /** of the entry, made from the others */
  readonly name: string
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The group that a proxy wants to be registered in; undefined if it wants none. */
export const registrationRequestOf = (proxy: Proxy): RegistrationRequest | undefined => {
  const group = text(proxy.metadata.AUTO_REGISTER_GROUP)
  if (group === "") return undefined
  const { namespace, network } = proxy
  const address = proxy.ips[0] ?? ""
  return { group, namespace, address, network, name: entryName(group, address, network) }
}

/** The existing entry that a proxy says it stands for (WORKLOAD_ENTRY); undefined if it says none. */
export const existingEntryOf = (proxy: Proxy): string | undefined =>
  text(proxy.metadata.WORKLOAD_ENTRY) || undefined

/** Whether a proxy says that it stands for a WorkloadEntry, there already or to be made. */
export const asksForEntry = ({ metadata }: Proxy): boolean =>
  text(metadata.AUTO_REGISTER_GROUP) !== "" || text(metadata.WORKLOAD_ENTRY) !== ""

/** Istio's agents carry the locality in this label, whose slashes Kubernetes does not take. */
const localityLabel = "istio-locality"

/** What the machine's own metadata says; its labels are over the group's, and the group's over its template's. */
const labelsOf = (proxy: Proxy, { labels, template }: WorkloadGroup): Readonly<Record<string, string>> => {
  const own = record(proxy.metadata.LABELS)
  const merged = { ...template.labels, ...labels, ...own }
  return Object.fromEntries(Object.entries(merged).filter(([name]) => name !== localityLabel))
}

const record = (value: unknown): Readonly<Record<string, string>> =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string")
      )
    : {}

const hasReadinessProbe = (proxy: Proxy): boolean => {
  const config = proxy.metadata.PROXY_CONFIG
  return (
    typeof config === "object" &&
    config !== null &&
    "readinessProbe" in config &&
    config.readinessProbe !== null
  )
}

/**
 * The WorkloadEntry of a machine that registers in a group. Source: istio pilot/pkg/autoregistration,
 * workloadEntryFromGroup; cases 46 to 48.
 */
export const entryFromGroup = (
  { address, name, namespace, network }: RegistrationRequest,
  proxy: Proxy,
  group: WorkloadGroup
): RawObject => {
  const { template } = group
  const labels = labelsOf(proxy, group)
  const { region, subzone, zone } = proxy.locality
  const locality =
    region === "" ? template.locality : [region, zone, subzone].filter((part) => part !== "").join("/")
  const probe = group.meta.annotations[probeAnnotation]
  const checksHealth = hasReadinessProbe(proxy) || probe !== undefined
  const annotations = {
    [groupAnnotation]: group.meta.name,
    ...group.annotations,
    ...(probe === undefined ? {} : { [probeAnnotation]: probe }),
    ...(checksHealth ? { [healthChecksAnnotation]: "true" } : {})
  }
  const spec = {
    address,
    ports: template.ports,
    labels,
    network: network || template.network,
    locality,
    weight: template.weight,
    serviceAccount: template.serviceAccount
  }
  return {
    ...workloadEntryApi,
    metadata: {
      name,
      namespace,
      labels,
      annotations,
      ownerReferences: [
        {
          apiVersion: "networking.istio.io/v1",
          kind: "WorkloadGroup",
          name: group.meta.name,
          uid: group.meta.uid,
          controller: true
        }
      ]
    },
    spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => isSaid(value)))
  }
}

/** Defaults are left out, as everybody who writes an entry by hand leaves them out. */
const isSaid = (value: unknown): boolean =>
  value !== "" &&
  value !== 0 &&
  !(typeof value === "object" && value !== null && Object.keys(value).length === 0)
