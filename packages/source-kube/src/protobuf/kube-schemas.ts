/**
 * What discovery reads of Kubernetes' messages: the fields that `decodeObject` asks for, by their numbers in the
 * `generated.proto` files of k8s.io/api and k8s.io/apimachinery. Numbers never change. Names are those of the JSON form,
 * so that there is one decoder for both: a field that is missing here is missing in the object.
 */
import type { Kind } from "@istiod-lite/model"
import { flag, integer, many, mapOfTexts, message, one, type Schema, schemaOf, text } from "./schema.ts"
import { intOrString, time } from "./special-types.ts"

const ownerReference = schemaOf({
  1: one("kind", text),
  3: one("name", text),
  5: one("apiVersion", text),
  6: one("controller", flag)
})

const metadata = one(
  "metadata",
  message(
    schemaOf({
      1: one("name", text),
      2: one("generateName", text),
      3: one("namespace", text),
      5: one("uid", text),
      6: one("resourceVersion", text),
      8: one("creationTimestamp", time),
      9: one("deletionTimestamp", time),
      11: mapOfTexts("labels"),
      12: mapOfTexts("annotations"),
      13: many("ownerReferences", message(ownerReference))
    })
  )
)

const containerPort = schemaOf({
  1: one("name", text),
  3: one("containerPort", integer),
  4: one("protocol", text)
})
const container = message(
  schemaOf({ 6: many("ports", message(containerPort)), 24: one("restartPolicy", text) })
)

const podSpec = schemaOf({
  2: many("containers", container),
  8: one("serviceAccountName", text),
  10: one("nodeName", text),
  11: one("hostNetwork", flag),
  16: one("hostname", text),
  17: one("subdomain", text),
  20: many("initContainers", container)
})

const podStatus = schemaOf({
  1: one("phase", text),
  2: many("conditions", message(schemaOf({ 1: one("type", text), 2: one("status", text) }))),
  6: one("podIP", text),
  12: many("podIPs", message(schemaOf({ 1: one("ip", text) })))
})

const nodeStatus = schemaOf({
  5: many("addresses", message(schemaOf({ 1: one("type", text), 2: one("address", text) })))
})

const servicePort = schemaOf({
  1: one("name", text),
  2: one("protocol", text),
  3: one("port", integer),
  4: one("targetPort", intOrString),
  5: one("nodePort", integer),
  6: one("appProtocol", text)
})

const serviceSpec = schemaOf({
  1: many("ports", message(servicePort)),
  2: mapOfTexts("selector"),
  3: one("clusterIP", text),
  4: one("type", text),
  5: many("externalIPs", text),
  10: one("externalName", text),
  13: one("publishNotReadyAddresses", flag),
  18: many("clusterIPs", text),
  22: one("internalTrafficPolicy", text),
  23: one("trafficDistribution", text)
})

const loadBalancerIngress = schemaOf({ 1: one("ip", text), 2: one("hostname", text) })
const loadBalancer = schemaOf({ 1: many("ingress", message(loadBalancerIngress)) })

const endpointConditions = schemaOf({
  1: one("ready", flag),
  2: one("serving", flag),
  3: one("terminating", flag)
})
const objectReference = schemaOf({
  1: one("kind", text),
  2: one("namespace", text),
  3: one("name", text),
  4: one("uid", text)
})

const endpoint = schemaOf({
  1: many("addresses", text),
  2: one("conditions", message(endpointConditions)),
  4: one("targetRef", message(objectReference)),
  6: one("nodeName", text)
})

const endpointPort = schemaOf({ 1: one("name", text), 2: one("protocol", text), 3: one("port", integer) })

const schemas: { readonly [K in Kind]?: Schema } = {
  Namespace: schemaOf({ 1: metadata }),
  Node: schemaOf({ 1: metadata, 3: one("status", message(nodeStatus)) }),
  Pod: schemaOf({ 1: metadata, 2: one("spec", message(podSpec)), 3: one("status", message(podStatus)) }),
  Service: schemaOf({
    1: metadata,
    2: one("spec", message(serviceSpec)),
    3: one("status", message(schemaOf({ 1: one("loadBalancer", message(loadBalancer)) })))
  }),
  EndpointSlice: schemaOf({
    1: metadata,
    2: many("endpoints", message(endpoint)),
    3: many("ports", message(endpointPort)),
    4: one("addressType", text)
  })
}

/** Schema of the objects of a kind; undefined where API servers have no protobuf, as of custom resources. */
export const schemaOfKind = (kind: Kind): Schema | undefined => schemas[kind]
