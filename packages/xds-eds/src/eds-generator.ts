import { type Graph, untracked } from "@istiod-lite/collections"
import { MeshPolicy, parseClusterName, type ProxyView } from "@istiod-lite/mesh-policy"
import {
  DiscoveryGraph,
  parseServiceKey,
  type Proxy,
  type PushRequest,
  type PushScope,
  ServiceDiscovery,
  type XdsGenerator,
  XdsGenerators,
  type XdsResource
} from "@istiod-lite/model"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect, Layer } from "effect"
import { AssignmentEncoder } from "./assignment-encoder.ts"
import { type AssignmentSources, readInput } from "./assignment-inputs.ts"
import { type Assignment, buildAssignment } from "./build-assignment.ts"
import { peerAnswers } from "./peer-answers.ts"
import { SharedAssignments } from "./shared-assignments.ts"

/** How much the generator keeps. */
export interface EdsOptions {
  /** How many assignments are kept encoded; one is a cluster as seen by any number of equal proxies. */
  readonly capacity?: number
}

/** What assignments are made of, all of it in one graph. */
export interface GeneratorSources extends AssignmentSources {
  readonly graph: Pick<Graph, "revision">
}

/** Endpoints come after clusters (S-81). */
const pushOrder = 2

/** ClusterLoadAssignments of the names asked for; every name has one, if need be an empty one (S-60, S-80). */
export const edsGenerator = (
  sources: GeneratorSources,
  { capacity = 60_000 }: EdsOptions = {}
): XdsGenerator => {
  const encoder = new AssignmentEncoder(capacity)
  const shared = new SharedAssignments()
  const ask = () => peerAnswers(untracked, sources.policy.peerAuthentication)
  let answers = ask()
  const encode = (view: ProxyView, name: string): XdsResource => {
    if (!answers.holds()) answers = ask()
    return encoder.encode(readInput(untracked, sources, view, name, answers.mode))
  }
  return {
    typeUrl: endpointTypeUrl,
    order: pushOrder,
    allResourcesRequired: false,
    generate: (names, proxy) => {
      const { revision } = sources.graph
      const view = sources.policy.viewOf(untracked, proxy)
      return names.map((name) => shared.get(view, name, revision, (seen) => encode(seen, name)))
    },
    scopeOf,
    removalsOf: ({ removals }) => hostnamesOf(removals ?? []),
    subjectOf: (name) => parseClusterName(name)?.hostname ?? name
  }
}

/** Services by hostname: whose definition or whose endpoints changed. */
const scopeOf = ({ endpoints, full, services }: PushRequest): PushScope =>
  full ? "all" : hostnamesOf([...services, ...endpoints])

const hostnamesOf = (keys: Iterable<string>): ReadonlySet<string> =>
  new Set(Array.from(keys, (key) => parseServiceKey(key).hostname))

/** Answers, for people, what a proxy is told of a cluster and what not, and why: the same as the generator sends. */
export const assignmentQuery =
  (sources: AssignmentSources) =>
  (proxy: Proxy, name: string): Assignment => {
    const { mode } = peerAnswers(untracked, sources.policy.peerAuthentication)
    const view = sources.policy.viewOf(untracked, proxy)
    return buildAssignment(readInput(untracked, sources, view, name, mode))
  }

const assignmentSources = Effect.gen(function* () {
  return { policy: yield* MeshPolicy, discovery: yield* ServiceDiscovery }
})

/** The generator over the policies and the discovery of this control plane. */
export const makeEdsGenerator = (
  options: EdsOptions = {}
): Effect.Effect<XdsGenerator, never, DiscoveryGraph | MeshPolicy | ServiceDiscovery> =>
  Effect.gen(function* () {
    return edsGenerator({ graph: yield* DiscoveryGraph, ...(yield* assignmentSources) }, options)
  })

/** The query over the policies and the discovery of this control plane. */
export const makeAssignmentQuery: Effect.Effect<
  (proxy: Proxy, name: string) => Assignment,
  never,
  MeshPolicy | ServiceDiscovery
> = Effect.map(assignmentSources, assignmentQuery)

/** Endpoints as the only type that is served. */
export const layerEdsGenerator = (
  options: EdsOptions = {}
): Layer.Layer<XdsGenerators, never, DiscoveryGraph | MeshPolicy | ServiceDiscovery> =>
  Layer.effect(
    XdsGenerators,
    Effect.map(makeEdsGenerator(options), (generator) => [generator])
  )
