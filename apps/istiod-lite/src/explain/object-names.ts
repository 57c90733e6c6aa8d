import type { Endpoint, EndpointGroup, Labels, ObjectMeta, Service } from "@istiod-lite/model"
import { hostPort } from "../tables/endpoints-table.ts"

/** `Pod shop/cart-1` */
export const objectName = (
  kind: string,
  { name, namespace }: Pick<ObjectMeta, "name" | "namespace">
): string => `${kind} ${namespace}/${name}`

/** The object that declares a service. */
export const declaringObject = (service: Service): string =>
  service.provider === "Kubernetes"
    ? objectName("Service", service)
    : service.provider === "External"
      ? objectName("ServiceEntry", { name: service.objectName, namespace: service.namespace })
      : `${service.provider} service ${service.namespace}/${service.hostname}`

const kindOfOrigin: Readonly<Record<Endpoint["origin"]["kind"], string>> = {
  Pod: "Pod",
  WorkloadEntry: "WorkloadEntry",
  Inline: "ServiceEntry",
  Address: "EndpointSlice"
}

/** The object that an endpoint was made of. */
export const originName = ({ origin }: Endpoint): string => objectName(kindOfOrigin[origin.kind], origin)

/** The slice that a group stands for; undefined for groups that are no slices. */
export const sliceName = ({ namespace, slice }: EndpointGroup): string | undefined =>
  slice === undefined ? undefined : objectName("EndpointSlice", { name: slice.name, namespace })

/** `10.20.0.2:8080`; empty for an endpoint without address, which only gateways lead to. */
export const addressText = ({ addresses: [first = ""], port }: Endpoint): string =>
  first === "" ? "" : hostPort(first, port)

/** `app=cart,version=v1` */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",")
