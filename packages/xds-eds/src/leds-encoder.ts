import type { EndpointGroup, Proxy, ServiceEndpoints, XdsResource } from "@istiod-lite/model"
import { concatBytes, lengthDelimited, uint32Field, utf8Field } from "@istiod-lite/xds-proto"
import type { AssignmentEncoder } from "./assignment-encoder.ts"
import { assignmentKey } from "./assignment-keys.ts"
import type { BalancedLocality } from "./balance-chunks.ts"
import { preferredBy } from "./balance-localities.ts"
import { capacityFor, fits } from "./collection-capacity.ts"
import { collectionPath } from "./collection-name.ts"
import { contentVersion } from "./content-version.ts"
import { assignmentParts } from "./encode-assignment.ts"
import type { EndpointChunk } from "./encode-group.ts"
import { EndpointCollection } from "./endpoint-collection.ts"
import type { PeerMode } from "./endpoint-view.ts"
import { type AssignmentInput, planAssignment } from "./plan-assignment.ts"
import { RecentlyUsed } from "./recently-used.ts"

/** Which assignments refer to their endpoints instead of containing them. */
export interface LedsOptions {
  /** those of so many endpoints or more, for clients that ask for it */
  readonly threshold: number
}

/** An assignment whose localities name collections, and these. */
export interface LedsAssignment {
  readonly assignment: XdsResource
  /** by `collectionPath` */
  readonly collections: ReadonlyMap<string, EndpointCollection>
}

interface Encoded {
  readonly endpoints: ServiceEndpoints
  readonly peerMode: PeerMode | undefined
  /** undefined: the assignment has to contain its endpoints */
  readonly leds: LedsAssignment | undefined
}

/** Whether a client has said that it can be told of single endpoints: Envoy has no client feature for that. */
export const asksForLeds = ({ metadata }: Proxy): boolean =>
  ["true", "1"].includes(String(metadata.ISTIOD_LITE_LEDS).toLowerCase())

const versionPrefix = "leds-"

/** Whether a version is that of an assignment which refers to its endpoints. */
export const isLedsVersion = (version: string): boolean => version.startsWith(versionPrefix)

/** Assignments without their endpoints, and the collections that hold them, made of the parts of full assignments. */
export class LedsEncoder {
  readonly #encoder: AssignmentEncoder
  readonly #encoded: RecentlyUsed<Encoded>
  readonly #threshold: number

  /** @param capacity how many assignments to keep */
  constructor(encoder: AssignmentEncoder, { threshold }: LedsOptions, capacity: number) {
    this.#encoder = encoder
    this.#encoded = new RecentlyUsed(capacity)
    this.#threshold = threshold
  }

  /** Undefined for what has to be sent whole: too few endpoints, gateways for some of them, or an address twice. */
  encode(input: AssignmentInput): LedsAssignment | undefined {
    if (!this.#mayBeLarge(input.endpoints)) return undefined
    const plan = planAssignment(input)
    if (plan.kind === "empty") return undefined
    const key = assignmentKey(input, plan, preferredBy(plan.localities, input.view))
    const peerMode = plan.view.tls === "auto" ? plan.view.peerMode : undefined
    const last = this.#encoded.get(key)
    if (last?.endpoints === plan.endpoints && last.peerMode === peerMode) return last.leds
    const localities = this.#encoder.joinable(input, plan)
    const leds =
      localities === undefined || countOf(localities.flatMap(({ chunks }) => chunks)) < this.#threshold
        ? undefined
        : encodeLeds(input.name, localities, last?.leds)
    this.#encoded.set(key, { endpoints: plan.endpoints, peerMode, leds })
    return leds
  }

  /** Spares small services the rest. */
  #mayBeLarge(endpoints: ServiceEndpoints | undefined): boolean {
    return endpoints !== undefined && totalOf(endpoints.groups) >= this.#threshold
  }
}

/** @param last of the same key: its collections go on, as long as the endpoints fit in */
const encodeLeds = (
  cluster: string,
  localities: ReadonlyArray<BalancedLocality>,
  last: LedsAssignment | undefined
): LedsAssignment => {
  const collections = new Map<string, EndpointCollection>()
  const parts = localities.map(({ chunks, distance, locality, priority, weight }) => {
    const count = countOf(chunks)
    if (count === 0) return { locality, priority, weight, endpoints: [] }
    const path = collectionPath({ cluster, locality, distance })
    const known = last?.collections.get(path)
    const collection =
      known !== undefined && fits(count, known.capacity)
        ? known
        : new EndpointCollection(path, capacityFor(count))
    collection.update(chunks)
    collections.set(path, collection)
    return { locality, priority, weight, endpoints: [collectionField(collection.name)] }
  })
  const bytes = concatBytes(assignmentParts(cluster, parts))
  const version = `${versionPrefix}${contentVersion(bytes)}`
  return {
    assignment: last?.assignment.version === version ? last.assignment : { name: cluster, version, bytes },
    collections
  }
}

const countOf = (chunks: ReadonlyArray<EndpointChunk>): number =>
  chunks.reduce((sum, { members }) => sum + members.length, 0)

const totalOf = (groups: ReadonlyArray<EndpointGroup>): number =>
  groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0)

/** `LocalityLbEndpoints.leds_cluster_locality_config`: the collection, over the stream that the assignment came by. */
const collectionField = (name: string): Uint8Array => lengthDelimited(8, configSource, utf8Field(2, name))

/** `leds_config`: ADS, version 3 of the API. */
const configSource = lengthDelimited(1, lengthDelimited(3), uint32Field(6, 2))
