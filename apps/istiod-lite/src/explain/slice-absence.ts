import { type EndpointSlice, Label, type ObjectMeta } from "@istiod-lite/model"
import { type IgnoredSlice, ignoredSlice, serviceNameOfSlice } from "@istiod-lite/registry-kube"
import type { ExplainSources } from "./explain-sources.ts"
import { drop, type Explanation, notSent, pass, type Step } from "./explanation.ts"
import type { Located } from "./named-objects.ts"
import { objectName } from "./object-names.ts"
import { undiscovered } from "./undiscovered.ts"

/** Why a slice as a whole gives no endpoints (S-13). */
export const explainSlice = (
  sources: Pick<ExplainSources, "objects" | "policy">,
  { cluster, object: slice }: Located<EndpointSlice>,
  address: string
): Explanation => {
  const name = objectName("EndpointSlice", slice.meta)
  return notSent(address, undefined, [
    pass("source", `${name} lists it`),
    ignoredStep(name, slice) ??
      namespaceStep(sources, cluster, slice) ??
      portsStep(name, slice) ??
      serviceStep(sources.objects.clusters.get(cluster)?.objects, name, slice)
  ])
}

const ignoredStep = (name: string, slice: EndpointSlice): Step | undefined => {
  const wordsOf: Readonly<Record<IgnoredSlice, readonly [text: string, remedy: string]>> = {
    NoServiceName: [
      `${name} belongs to no Service: it has no label ${Label.serviceName}`,
      `set label ${Label.serviceName} in metadata.labels of ${name}`
    ],
    MultiClusterService: [
      `${name} mirrors a service of other clusters (label ${Label.multiClusterServiceName}); their own slices are read`,
      `give this control plane the other cluster's objects (--cluster ID=PATH)`
    ],
    Fqdn: [
      `${name} has addressType FQDN; only slices of IPs are read`,
      `declare a ServiceEntry with resolution DNS for these names`
    ]
  }
  const ignored = ignoredSlice(slice)
  return ignored === undefined ? undefined : drop("service", "S-13", ...wordsOf[ignored])
}

const namespaceStep = (
  sources: Pick<ExplainSources, "objects" | "policy">,
  cluster: string,
  { meta }: EndpointSlice
): Step | undefined => {
  const reason = undiscovered(sources, cluster, meta)
  return reason && drop("service", "S-22", reason.text, reason.remedy)
}

const portsStep = (name: string, { ports }: EndpointSlice): Step | undefined =>
  ports.length > 0
    ? undefined
    : drop("service", "S-13", `${name} has no ports`, `add the service's port to ports[] of ${name}`)

interface ClusterServices {
  readonly Service: { readonly get: (key: string) => { readonly meta: ObjectMeta } | undefined }
}

const serviceStep = (objects: ClusterServices | undefined, name: string, slice: EndpointSlice): Step => {
  const { namespace } = slice.meta
  const serviceName = serviceNameOfSlice(slice) ?? ""
  const service = objectName("Service", { name: serviceName, namespace })
  if (objects?.Service.get(`${namespace}/${serviceName}`) === undefined)
    return drop(
      "service",
      "S-13",
      `${service}, to which label ${Label.serviceName} of ${name} leads, is not there`,
      `create ${service}, or change label ${Label.serviceName} in metadata.labels of ${name}`
    )
  return drop(
    "service",
    "S-11",
    `${service} is exported to nobody`,
    `take "~" out of annotation networking.istio.io/exportTo of ${service}`
  )
}
