import { assert, describe, it } from "@effect/vitest"
import { untracked } from "@istiod-lite/collections"
import { parseClusterName } from "@istiod-lite/mesh-policy"
import { defaultMeshConfig, meshKey, objectKey, parseProxy, type Proxy } from "@istiod-lite/model"
import {
  generateHistory,
  layerControlPlane,
  MemorySource,
  type SimulatedEvent,
  WritableMesh
} from "@istiod-lite/testkit"
import { type Assignment, assignmentQuery, isGateway } from "@istiod-lite/xds-eds"
import { Context, Effect, Layer } from "effect"
import { explainContext } from "./explain-context.ts"
import { explainEndpoint } from "./explain-endpoint.ts"
import { type ExplainSources, makeExplainSources } from "./explain-sources.ts"
import { isDrop } from "./explanation.ts"
import { addressText } from "./object-names.ts"
import { readSubject } from "./subject.ts"

const makePlane = Effect.gen(function* () {
  const services = yield* Layer.build(layerControlPlane())
  const source = Context.get(services, MemorySource)
  const mesh = Context.get(services, WritableMesh)
  const take = (event: SimulatedEvent): void => {
    if (event.action === "apply") source.apply(event.cluster, event.manifest)
    if (event.action === "delete") source.store.delete(event.cluster, event.identity)
    if (event.action === "removeCluster") source.removeCluster(event.cluster)
    if (event.action === "configure") mesh.set(meshKey, { ...defaultMeshConfig, ...event.mesh })
  }
  const sources = yield* makeExplainSources(() => []).pipe(Effect.provide(services))
  return {
    sources,
    apply: (events: ReadonlyArray<SimulatedEvent>) => source.transaction(() => events.forEach(take))
  }
})

const endpointsOf = ({ behindGateways, localities }: Assignment) => [
  ...localities.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ source }) => (isGateway(source) ? [] : [addressText(source)]))
  ),
  ...behindGateways.map(({ endpoint }) => addressText(endpoint))
]

/** `host address:port` of everything that a proxy is sent, gateways opened. */
const sentTo = (sources: ExplainSources, proxy: Proxy): ReadonlySet<string> => {
  const ask = assignmentQuery(sources)
  const names = sources.policy.clusterNames(untracked, sources.policy.viewOf(untracked, proxy))
  return new Set(
    names.flatMap((name) =>
      endpointsOf(ask(proxy, name)).map((address) => `${parseClusterName(name)?.hostname ?? ""} ${address}`)
    )
  )
}

/** All that somebody might ask about: what slices, pods and machines there are, and what registries tell. */
const subjectsIn = ({ objects, registries }: ExplainSources): ReadonlySet<string> => {
  const clusters = [...objects.clusters.values()].map(({ objects }) => objects)
  const slices = clusters.flatMap(({ EndpointSlice }) => [...EndpointSlice.values()])
  const workloads = [
    ...clusters.flatMap(({ Pod }) => [...Pod.values()]),
    ...objects.config.WorkloadEntry.values()
  ]
  const endpoints = [...registries.endpoints.values()].flatMap(({ endpoints }) => endpoints)
  return new Set([
    ...slices.flatMap(({ endpoints }) => endpoints.flatMap(({ addresses }) => addresses)),
    ...workloads.map(({ meta }) => objectKey(meta)),
    ...endpoints.map(({ addresses }) => addresses[0] ?? "").filter((address) => /^[\d.]+$/.test(address))
  ])
}

describe("explainEndpoint", () => {
  it.effect.each([11, 12, 13, 14])(
    "agrees with what is sent, and has a reason for all else: history %i",
    (seed) =>
      Effect.gen(function* () {
        const { apply, sources } = yield* makePlane
        const { batches, clients } = generateHistory(seed)
        const proxies = clients.map(({ node }) => parseProxy(node))
        for (const { events } of batches) {
          apply(events)
          const context = explainContext(sources)
          const subjects = subjectsIn(sources)
          for (const proxy of proxies) {
            const client = { name: proxy.id, proxy, connection: undefined, named: true }
            const said = new Set<string>()
            for (const subject of subjects) {
              const explained = explainEndpoint(context, readSubject(subject), client)
              assert.isNotEmpty(explained, subject)
              for (const { address, chain, outcome, service = "" } of explained) {
                const drops = chain.filter(isDrop)
                assert.strictEqual(
                  outcome === "sent",
                  drops.length === 0,
                  `${subject}: ${JSON.stringify(chain)}`
                )
                for (const { remedy = "", rule = "" } of drops) assert.isNotEmpty(rule + remedy)
                if (outcome !== "not sent") said.add(`${service} ${address}`)
              }
            }
            assert.deepEqual([...said].toSorted(), [...sentTo(sources, proxy)].toSorted())
          }
        }
      })
  )
})
