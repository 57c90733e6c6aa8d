import type { ObjectReference } from "@istiod-lite/model"

/** Names in paths of the kinds that a control plane writes, or reads for the sake of writing. */
const plurals: Readonly<Record<string, string>> = {
  WorkloadEntry: "workloadentries",
  WorkloadGroup: "workloadgroups",
  ServiceEntry: "serviceentries",
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
  return `${root}/${apiVersion}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}`
}

/** Where one object is. */
export const objectPath = (object: ObjectReference): string =>
  `${collectionPath(object, object.namespace)}/${object.name}`
