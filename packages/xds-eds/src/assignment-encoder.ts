import type { ServiceEndpoints, XdsResource } from "@istiod-lite/model"
import { assignmentKey, chunksKey } from "./assignment-keys.ts"
import { preferredBy } from "./balance-localities.ts"
import { balanceChunks, type BalancedLocality, isJoinable } from "./balance-chunks.ts"
import { buildAssignment } from "./build-assignment.ts"
import { contentVersion } from "./content-version.ts"
import { type ChunkedEndpoints, chunkEndpoints } from "./chunked-endpoints.ts"
import { assignmentParts, encodeAssignment } from "./encode-assignment.ts"
import type { PeerMode } from "./endpoint-view.ts"
import { haveEqualBytes, JoinedResource } from "./joined-resource.ts"
import type { PreferredLabels } from "./failover-priority.ts"
import type { NetworkGateways } from "./network-gateways.ts"
import { type AssignmentInput, type EndpointsPlan, planAssignment } from "./plan-assignment.ts"
import { RecentlyUsed } from "./recently-used.ts"

/** What an encoded assignment was made of, beside what its key says. */
interface Sources {
  readonly endpoints: ServiceEndpoints | undefined
  /** undefined where it does not matter */
  readonly peerMode: PeerMode | undefined
  readonly gateways: NetworkGateways | undefined
}

interface Encoded extends Sources {
  readonly resource: XdsResource
}

interface Chunked {
  readonly peerMode: PeerMode | undefined
  readonly chunked: ChunkedEndpoints
}

/**
 * Encodes assignments and keeps them, and the parts they were joined from, for as long as they are asked for.
 *
 * Nothing has to tell it about changes: a kept value is used if it was made of the same inputs. Two inputs that differ
 * only in what does not matter to the assignment get the same resource, and a new one that has the bytes of the
 * last is not told apart from it.
 */
export class AssignmentEncoder {
  readonly #chunked: RecentlyUsed<Chunked>
  readonly #encoded: RecentlyUsed<Encoded>

  /** @param capacity how many assignments to keep */
  constructor(capacity: number) {
    this.#chunked = new RecentlyUsed(capacity)
    this.#encoded = new RecentlyUsed(capacity)
  }

  encode(input: AssignmentInput): XdsResource {
    const plan = planAssignment(input)
    return plan.kind === "empty" ? this.#encodeEmpty(input.name) : this.#encodeEndpoints(input, plan)
  }

  #encodeEmpty(name: string): XdsResource {
    const key = `-${name}`
    const last = this.#encoded.get(key)
    if (last !== undefined) return last.resource
    const resource = new JoinedResource(name, versionOfParts([]), assignmentParts(name, []))
    this.#encoded.set(key, { endpoints: undefined, peerMode: undefined, gateways: undefined, resource })
    return resource
  }

  #encodeEndpoints(input: AssignmentInput, plan: EndpointsPlan): XdsResource {
    const preferred = preferredBy(plan.localities, input.view)
    const key = `+${assignmentKey(input, plan, preferred)}`
    const sources: Sources = {
      endpoints: plan.endpoints,
      peerMode: peerModeOf(plan),
      gateways: plan.view.multiNetwork ? input.gateways : undefined
    }
    const last = this.#encoded.get(key)
    if (last !== undefined && isMadeOf(last, sources)) return last.resource
    const localities = this.joinable(input, plan)
    const resource =
      localities === undefined
        ? kept(last?.resource, resourceOf(input.name, encodeAssignment(buildAssignment(input))))
        : joined(input.name, localities, last?.resource)
    this.#encoded.set(key, { ...sources, resource })
    return resource
  }

  /** The localities in encoded parts; undefined where these may not just be put together. */
  joinable(input: AssignmentInput, plan: EndpointsPlan): ReadonlyArray<BalancedLocality> | undefined {
    if (!isJoinable(plan)) return undefined
    const chunked = this.#chunks(plan, preferredBy(plan.localities, input.view))
    return chunked.hasDuplicates ? undefined : balanceChunks(chunked, plan, input.view)
  }

  #chunks(plan: EndpointsPlan, preferred: PreferredLabels | undefined): ChunkedEndpoints {
    const key = chunksKey(plan, preferred)
    const peerMode = peerModeOf(plan)
    const last = this.#chunked.get(key)
    const reusable = last?.peerMode === peerMode ? last?.chunked : undefined
    if (reusable?.endpoints === plan.endpoints) return reusable
    const chunked = chunkEndpoints(plan.endpoints, plan.view, preferred, reusable)
    this.#chunked.set(key, { peerMode, chunked })
    return chunked
  }
}

/** Puts the parts together, unless the last resource is what would come out. */
const joined = (
  name: string,
  localities: ReadonlyArray<BalancedLocality>,
  last: XdsResource | undefined
): XdsResource => {
  const version = versionOfParts(localities)
  if (last !== undefined && version === last.version) return last
  const parts = localities.map(({ chunks, ...locality }) => ({
    ...locality,
    endpoints: chunks.map(({ bytes }) => bytes)
  }))
  return kept(last, new JoinedResource(name, version, assignmentParts(name, parts)))
}

const peerModeOf = ({ view }: EndpointsPlan): PeerMode | undefined =>
  view.tls === "auto" ? view.peerMode : undefined

const isMadeOf = (known: Sources, sources: Sources): boolean =>
  known.endpoints === sources.endpoints &&
  known.peerMode === sources.peerMode &&
  known.gateways === sources.gateways

/** The one that streams have, if there is nothing new in the other. */
const kept = (last: XdsResource | undefined, next: XdsResource): XdsResource =>
  last !== undefined && haveEqualBytes(last, next) ? last : next

const resourceOf = (name: string, bytes: Uint8Array): XdsResource => ({
  name,
  version: contentVersion(bytes),
  bytes
})

/** As good as one of the bytes, without reading them all again. */
const versionOfParts = (localities: ReadonlyArray<BalancedLocality>): string =>
  contentVersion(
    JSON.stringify(
      localities.map(({ chunks, locality, priority, weight }) => [
        locality,
        priority,
        weight,
        chunks.map((chunk) => chunk.digest)
      ])
    )
  )
