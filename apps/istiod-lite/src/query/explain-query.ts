import { isIp, type Service } from "@istiod-lite/model"
import type { Json } from "@istiod-lite/registry-aggregate"
import { serviceNameOfSlice } from "@istiod-lite/registry-kube"
import { Effect } from "effect"
import type { Client } from "../explain/clients.ts"
import { explainAddress } from "../explain/explain-address.ts"
import { explainConflicts } from "../explain/explain-conflicts.ts"
import { type ExplainContext, explainContext } from "../explain/explain-context.ts"
import { explainEndpoint } from "../explain/explain-endpoint.ts"
import {
  addressExplanationJson,
  conflictJson,
  explanationJson,
  serviceExplanationJson
} from "../explain/explain-json.ts"
import { explainService } from "../explain/explain-service.ts"
import type { ExplainSources } from "../explain/explain-sources.ts"
import { objectName } from "../explain/object-names.ts"
import type { ExplainQuestion } from "../explain/question.ts"
import { readSubject } from "../explain/subject.ts"
import { undiscovered } from "../explain/undiscovered.ts"
import { chooseProxy } from "./choose-proxy.ts"
import { findServices, noServiceText } from "./find-services.ts"
import { nameOfConnection } from "./proxies-json.ts"
import type { HostPort, ProxyChoice } from "./queries.ts"
import { NothingFound, WrongUse } from "./query-error.ts"

/** Answers a question of why, from the state as it is now. */
export const explainQuery = (
  sources: ExplainSources,
  question: ExplainQuestion
): Effect.Effect<Json, NothingFound | WrongUse> => {
  const context = explainContext(sources)
  if (question.about === "conflicts")
    return Effect.succeed({ conflicts: explainConflicts(context).map(conflictJson) })
  if (question.about === "address") return address(context, question.address)
  return Effect.flatMap(clientOf(context, question.client), (client) =>
    question.about === "endpoint"
      ? endpoint(context, question.subject, client)
      : service(context, question.host, client)
  )
}

const clientOf = (
  context: ExplainContext,
  choice: ProxyChoice | undefined
): Effect.Effect<Client | undefined, NothingFound> => {
  if (choice === undefined) return Effect.undefined
  const connections = context.connections()
  return Effect.map(chooseProxy(choice, connections, context), (proxy) => {
    const name = "name" in choice ? choice.name : proxy.id
    const connection = connections.find((one) => nameOfConnection(one) === name)
    return { name, proxy, connection, named: true }
  })
}

const endpoint = (
  context: ExplainContext,
  text: string,
  client: Client | undefined
): Effect.Effect<Json, NothingFound> => {
  const explained = explainEndpoint(context, readSubject(text), client)
  return explained.length === 0
    ? Effect.fail(
        new NothingFound({
          message: `No EndpointSlice, pod, WorkloadEntry or ServiceEntry knows ${text}. \`istiod-lite endpoints HOST\` lists a service's.`
        })
      )
    : Effect.succeed({ endpoints: explained.map(explanationJson) })
}

const service = (
  context: ExplainContext,
  { host, port }: HostPort,
  client: Client | undefined
): Effect.Effect<Json, NothingFound> => {
  const found = Map.groupBy(
    findServices(context.discovery.services.values(), host),
    ({ hostname }) => hostname
  )
  if (found.size === 0) return Effect.fail(new NothingFound({ message: noService(context, host) }))
  // Looked up by host, so that the order is the one in which they win.
  const services = [...found.keys()].map((hostname) =>
    context.discovery.byHostname.lookup(hostname).map(([, service]) => service)
  )
  return Effect.succeed({
    ...(client === undefined ? {} : { client: client.name }),
    services: services.flatMap((definitions) =>
      isAny(definitions) ? [serviceExplanationJson(explainService(context, definitions, port, client))] : []
    )
  })
}

const isAny = (services: ReadonlyArray<Service>): services is readonly [Service, ...ReadonlyArray<Service>] =>
  services.length > 0

/** A Service that only slices speak of is missing; one that nobody speaks of is misspelt. */
const noService = (context: ExplainContext, host: string): string => {
  const clusters = [...context.objects.clusters.values()]
  const isMeant = (name: string, namespace: string): boolean =>
    `${name}.${namespace}.`.startsWith(`${host.split(".", 2).join(".")}.`)
  for (const { cluster, objects } of clusters) {
    const hidden = [...objects.Service.values()].find(({ meta }) => isMeant(meta.name, meta.namespace))
    const reason = hidden && undiscovered(context, cluster, hidden.meta)
    if (hidden === undefined || reason === undefined) continue
    const remedy = `${reason.remedy.charAt(0).toUpperCase()}${reason.remedy.slice(1)}`
    return `${objectName("Service", hidden.meta)} does not count: ${reason.text}. ${remedy}.`
  }
  const slices = clusters.flatMap(({ objects: { EndpointSlice } }) => [...EndpointSlice.values()])
  const orphan = slices.find((slice) => {
    const name = serviceNameOfSlice(slice)
    return name !== undefined && isMeant(name, slice.meta.namespace)
  })
  if (orphan === undefined) return noServiceText(host)
  const missing = objectName("Service", {
    name: serviceNameOfSlice(orphan) ?? "",
    namespace: orphan.meta.namespace
  })
  return (
    `No service is called ${host}: ${objectName("EndpointSlice", orphan.meta)} belongs to ${missing}, which is not ` +
    `there (S-13). Create ${missing}.`
  )
}

const address = (context: ExplainContext, text: string): Effect.Effect<Json, NothingFound | WrongUse> => {
  if (!isIp(text)) return Effect.fail(new WrongUse({ message: `${text} is no IP address.` }))
  const explained = explainAddress(context, text)
  return explained.uses.length + explained.endpoints.length === 0
    ? Effect.fail(new NothingFound({ message: `Nothing has address ${text}.` }))
    : Effect.succeed(addressExplanationJson(explained))
}
