import type { ObjectReference } from "@istiod-lite/model"

/** Names in paths of the kinds that a control plane writes, or reads for the sake of writing. */
const plurals: Readonly<Record<string, string>> = {
  WorkloadEntry: "workloadentries",
  WorkloadGroup: "workloadgroups",
  ServiceEntry: "serviceentries",
  ServiceExport: "serviceexports",
  Lease: "leases"
}

/** Where the objects of a kind are, of one namespace or of all. */
export const collectionPath = (
  { apiVersion, kind }: Pick<ObjectReference, "apiVersion" | "kind">,
  namespace?: string
): string => {
  const plural = plurals[kind]
  // A kind that nobody writes so far: a mistake of the program, not of its user.
  if (plural === undefined) throw new Error(`objects of kind ${kind} are not written`)
  const root = apiVersion.includes("/") ? "/apis" : "/api"
  return `${root}/${apiVersion}${namespace ? `/namespaces/${namespace}` : ""}/${plural}`
}

/** Where one object is. */
export const objectPath = (object: ObjectReference): string =>
  `${collectionPath(object, object.namespace)}/${object.name}`

/**
 * Whether both names may stand in a path: names can come from proxies, and one with a slash or dots alone would lead
 * somewhere else. Source: Kubernetes, "Object Names and IDs", RFC 1123 subdomains.
 */
export const isLegal = ({ name, namespace }: Pick<ObjectReference, "name" | "namespace">): boolean =>
  subdomain.test(name) && (namespace === "" || subdomain.test(namespace))

const subdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
