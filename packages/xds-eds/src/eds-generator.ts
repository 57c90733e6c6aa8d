import { type Graph, untracked } from "@istiod-lite/collections"
import { MeshPolicy, type ProxyView } from "@istiod-lite/mesh-policy"
import {
  DiscoveryGraph,
  type Proxy,
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
import { LedsEncoder, type LedsOptions } from "./leds-encoder.ts"
import { ledsGenerator, ledsLookup, takesLeds } from "./leds-generator.ts"
import { peerAnswers } from "./peer-answers.ts"
import type { AssignmentInput } from "./plan-assignment.ts"
import { hostOf, removalsOf, scopeOf } from "./push-subjects.ts"
import { SharedAssignments } from "./shared-assignments.ts"

/** How much the generator keeps. */
export interface EdsOptions {
  /** How many assignments are kept encoded; one is a cluster as seen by any number of equal proxies. */
  readonly capacity?: number
  /** Left out: every assignment contains its endpoints. */
  readonly leds?: LedsOptions | undefined
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
  { capacity = 60_000, leds }: EdsOptions = {}
): XdsGenerator => {
  const encoder = new AssignmentEncoder(capacity)
  const shared = new SharedAssignments()
  const ask = () => peerAnswers(untracked, sources.policy.peerAuthentication)
  let answers = ask()
  const inputOf = (view: ProxyView, name: string): AssignmentInput => {
    if (!answers.holds()) answers = ask()
    return readInput(untracked, sources, view, name, answers.mode)
  }
  const encode = (view: ProxyView, name: string): XdsResource => encoder.encode(inputOf(view, name))
  const single = leds && ledsLookup(new LedsEncoder(encoder, leds, capacity), inputOf)
  return {
    typeUrl: endpointTypeUrl,
    order: pushOrder,
    allResourcesRequired: false,
    generate: (names, proxy, protocol) => {
      const { revision } = sources.graph
      const view = sources.policy.viewOf(untracked, proxy)
      const whole = (name: string): XdsResource =>
        shared.get(view, name, revision, (seen) => encode(seen, name))
      if (single === undefined || !takesLeds(proxy, protocol)) return names.map(whole)
      const find = single(view, revision)
      return names.map((name) => find(name)?.assignment ?? whole(name))
    },
    scopeOf,
    removalsOf,
    subjectOf: hostOf,
    ...(single && { companion: ledsGenerator(single, sources) })
  }
}

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
