import type { XdsChanges, XdsResource } from "@istiod-lite/model"
import {
  acknowledge,
  type Acknowledgement,
  type Receipt,
  type RequestKind,
  type SentResponse,
  unacknowledged
} from "./acknowledgement.ts"
import { type Claims, claimsOf, isCollectionName, noClaims, withoutClaimed } from "./collection-claims.ts"
import { Owed } from "./owed.ts"
import {
  type Answer,
  sorted,
  type SubscriptionListener,
  type TypeSession,
  wildcardName
} from "./type-session.ts"

/** The parts of a DeltaDiscoveryRequest that steer the protocol. */
export interface DeltaRequest extends Receipt {
  readonly resourceNamesSubscribe: ReadonlyArray<string>
  readonly resourceNamesUnsubscribe: ReadonlyArray<string>
  readonly initialResourceVersions: Readonly<Record<string, string>>
}

/**
 * One resource type on a delta stream.
 *
 * A request is an increment and counts whatever its nonce. A name that is subscribed again is answered even if the
 * client has it; the first request is answered even if nothing differs, so that a client that reconnects knows it.
 *
 * Of a collection the members are sent. What is kept of it is one version, not one for each member: the collection
 * itself tells what became of its members since. So 10,000 members on 1,000 streams are 1,000 short texts.
 *
 * Source: xDS protocol, "Incremental xDS", "Unsubscribing from resources", "Wildcard subscriptions"; S-80, S-84.
 */
export class DeltaSession implements TypeSession {
  readonly names = new Set<string>()
  wildcard = false
  acknowledgement: Acknowledgement = unacknowledged
  /** versions by name, as the client said at first or was sent since; undefined = it knows that there is none */
  readonly held = new Map<string, string | undefined>()
  /** what a client that has reconnected said it has of collections, until they are sent */
  private claims: Map<string, Claims> = new Map()
  /** collections that were sent and left: some of their members may still be under way to the client */
  private readonly left = new Set<string>()
  private readonly owed = new Owed()
  private requested = false
  private readonly allowsWildcard: boolean
  private readonly listener: SubscriptionListener

  /** `allowsWildcard`: a first request without names asks for all there are (listeners, clusters). */
  constructor(allowsWildcard: boolean, listener: SubscriptionListener) {
    this.allowsWildcard = allowsWildcard
    this.listener = listener
  }

  get owes(): boolean {
    return this.owed.something
  }

  get owesFirst(): boolean {
    return this.owed.first.size > 0
  }

  /** Takes in a request at the time `at`, in epoch milliseconds. */
  onRequest(request: DeltaRequest, at: number): RequestKind {
    if (!this.requested) return this.onFirstRequest(request)
    const last = this.acknowledgement
    this.acknowledgement = acknowledge(last, request, at)
    // Unsubscribing first makes a name that stands in both lists subscribed, which loses nothing.
    for (const name of request.resourceNamesUnsubscribe) this.unsubscribe(name)
    for (const name of request.resourceNamesSubscribe) this.subscribe(name, true)
    if (request.errorDetail !== undefined) return "nack"
    if (request.resourceNamesSubscribe.length + request.resourceNamesUnsubscribe.length > 0)
      return "subscription"
    return request.responseNonce === last.sent?.nonce ? "ack" : "stale"
  }

  markChanged(names: Iterable<string> | "all"): void {
    if (names === "all") return this.owed.markAllChanged()
    for (const name of names) if (this.wildcard || this.names.has(name)) this.owed.markChanged(name)
  }

  markFirst(names: Iterable<string>): void {
    for (const name of names)
      if (this.names.has(name) && this.held.get(name) !== undefined) this.owed.markFirst(name)
  }

  /**
   * A delta client does not ask again for endpoints it is subscribed to, yet waits for them before it uses a cluster
   * that it got anew: sending them after clusters is the server's part.
   */
  parentSent(names: ReadonlySet<string>): void {
    for (const name of names) this.owed.demand(name)
  }

  wanted(): ReadonlyArray<string> {
    if (this.owesFirst) return sorted(this.owed.first)
    if (this.wildcard) return [wildcardName, ...sorted(this.names)]
    return sorted(this.owed.concernsAll ? this.names : this.owed.names)
  }

  respond(generated: ReadonlyArray<XdsResource>): Answer | undefined {
    if (this.owesFirst) return this.respondFirst(generated)
    const due = generated.filter((resource) => this.isDue(resource))
    const { removed: left, resources } = this.changesOf(due)
    const gone = this.removedWithout(new Set(generated.map(({ name }) => name)))
    const removed = [...gone, ...left]
    const demanded = due.map(({ name }) => name).filter((name) => this.owed.isDemanded(name))
    const nothing = resources.length === 0 && removed.length === 0 && !this.owed.needsReply
    this.owed.clear()
    for (const { name, version } of due) this.held.set(name, version)
    for (const name of gone) {
      if (this.names.has(name)) this.held.set(name, undefined)
      else this.held.delete(name)
    }
    return nothing ? undefined : { resources, removed, demanded }
  }

  skip(): void {
    if (this.owesFirst) this.owed.settleFirst([...this.owed.first])
    else this.owed.clear()
  }

  sent(response: SentResponse): void {
    this.acknowledgement = { ...this.acknowledgement, sent: response }
  }

  close(): void {
    for (const name of this.names) this.listener.unsubscribed(name)
    this.names.clear()
  }

  private respondFirst(generated: ReadonlyArray<XdsResource>): Answer | undefined {
    const due = generated.filter((resource) => this.isDue(resource))
    const demanded = due.map(({ name }) => name).filter((name) => this.owed.isDemanded(name))
    const changes = this.changesOf(due)
    this.owed.settleFirst(generated.map(({ name }) => name))
    for (const { name, version } of due) this.held.set(name, version)
    return changes.resources.length + changes.removed.length === 0 ? undefined : { ...changes, demanded }
  }

  private isDue({ name, version }: XdsResource): boolean {
    return this.owed.isDemanded(name) || this.held.get(name) !== version
  }

  private onFirstRequest(request: DeltaRequest): RequestKind {
    this.requested = true
    for (const name of request.resourceNamesSubscribe) this.subscribe(name, false)
    this.wildcard ||= this.allowsWildcard && request.resourceNamesSubscribe.length === 0
    for (const [name, version] of Object.entries(request.initialResourceVersions)) {
      if (this.wildcard || this.names.has(name)) this.held.set(name, version)
    }
    this.claims = claimsOf(request.initialResourceVersions, this.names)
    this.owed.markReply()
    this.owed.markAllChanged()
    return "initial"
  }

  private subscribe(name: string, answer: boolean): void {
    if (name === wildcardName && this.allowsWildcard) {
      this.wildcard = true
      this.owed.markReply()
      return this.owed.markAllChanged()
    }
    const isNew = !this.names.has(name)
    if (isNew) this.names.add(this.listener.subscribed(name))
    // What this stream never sent the client cannot have, unless it had it before the stream: then it asks at first.
    if (isNew && answer && isCollectionName(name) && !this.left.has(name)) this.claims.set(name, noClaims)
    if (answer) this.owed.demand(name)
  }

  private unsubscribe(name: string): void {
    if (name === wildcardName && this.wildcard) return this.endWildcard()
    if (!this.names.delete(name)) return
    this.listener.unsubscribed(name)
    this.owed.forget(name)
    this.claims.delete(name)
    if (isCollectionName(name) && this.held.get(name) !== undefined) this.left.add(name)
    // The client drops the resource; if the wildcard still covers it, it has to be told what became of it.
    this.held.delete(name)
    if (this.wildcard) this.owed.demand(name)
  }

  /** The resources themselves; of collections, what the client lacks of them. */
  private changesOf(due: ReadonlyArray<XdsResource>): XdsChanges {
    if (due.every(({ members }) => members === undefined)) return { resources: due, removed: [] }
    const changes = due.map((resource) =>
      resource.members === undefined
        ? { resources: [resource], removed: [] }
        : this.changesOfCollection(resource.name, resource.members)
    )
    return {
      resources: changes.flatMap(({ resources }) => resources),
      removed: changes.flatMap(({ removed }) => removed)
    }
  }

  private changesOfCollection(name: string, members: NonNullable<XdsResource["members"]>): XdsChanges {
    const claims = this.claims.get(name)
    this.claims.delete(name)
    if (this.owed.isDemanded(name) && claims !== noClaims) return members(undefined)
    return claims === undefined ? members(this.held.get(name)) : withoutClaimed(members(undefined), claims)
  }

  private endWildcard(): void {
    this.wildcard = false
    for (const name of this.held.keys()) if (!this.names.has(name)) this.held.delete(name)
  }

  /** The names that were looked at and do not exist, without those of which the client knows it. */
  private removedWithout(existing: ReadonlySet<string>): ReadonlyArray<string> {
    const candidates = new Set(this.owed.names)
    if (this.wildcard || this.owed.concernsAll) for (const name of this.names) candidates.add(name)
    if (this.wildcard) for (const name of this.held.keys()) candidates.add(name)
    return sorted(candidates).filter(
      (name) => !existing.has(name) && (this.owed.isDemanded(name) || !this.isKnownAbsent(name))
    )
  }

  private isKnownAbsent(name: string): boolean {
    return this.held.has(name) && this.held.get(name) === undefined
  }
}
