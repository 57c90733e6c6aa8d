import type { XdsResource } from "@istiod-lite/model"
import {
  acknowledge,
  type Acknowledgement,
  type Receipt,
  type RequestKind,
  type SentResponse,
  unacknowledged
} from "./acknowledgement.ts"
import { Owed } from "./owed.ts"
import {
  type Answer,
  sorted,
  type SubscriptionListener,
  type TypeSession,
  wildcardName
} from "./type-session.ts"

/** The parts of a DiscoveryRequest that steer the protocol. */
export interface SotwRequest extends Receipt {
  /** undefined: the same as in the last request */
  readonly resourceNames: ReadonlyArray<string> | undefined
}

/**
 * One resource type on a state-of-the-world stream.
 *
 * Every request names the whole subscription, so requests count in the order they come: the nonce decides what is
 * acknowledged, the names always count, and a stale nonce costs no subscription.
 *
 * Source: xDS protocol, "Basic protocol overview", "ACK and NACK semantics", "How the client specifies what resources
 * to return"; S-80, S-84.
 */
export class SotwSession implements TypeSession {
  readonly names = new Set<string>()
  wildcard = false
  acknowledgement: Acknowledgement = unacknowledged
  /** versions by name, as last sent */
  readonly held = new Map<string, string>()
  private readonly owed = new Owed()
  private requested = false
  /** A stream that once gave names means "none" by an empty list, no longer "all". */
  private everNamed = false
  /** A request that carries this nonce again can only mean that the client waits for the resources (see parentSent). */
  private nonceBeforeParent: string | undefined
  private readonly allRequired: boolean
  private readonly listener: SubscriptionListener

  /** `allRequired`: responses hold the whole subscription, and no names mean all there are (listeners, clusters). */
  constructor(allRequired: boolean, listener: SubscriptionListener) {
    this.allRequired = allRequired
    this.listener = listener
  }

  get owes(): boolean {
    return this.owed.something
  }

  get owesFirst(): boolean {
    return this.owed.first.size > 0
  }

  /** Takes in a request at the time `at`, in epoch milliseconds. */
  onRequest(request: SotwRequest, at: number): RequestKind {
    const first = !this.requested
    const last = this.acknowledgement
    this.requested = true
    // The first request of a stream may carry the nonce of an earlier one; it acknowledges nothing here.
    if (!first) this.acknowledgement = acknowledge(last, request, at)
    const grown = request.resourceNames !== undefined && this.subscribe(request.resourceNames)
    if (first || (request.responseNonce === "" && request.errorDetail === undefined)) {
      this.owed.markReply()
      this.owed.demandEverything()
      return first ? "initial" : "subscription"
    }
    const waits = this.waitsAgain(request)
    if (request.errorDetail !== undefined) return "nack"
    if (waits) {
      this.owed.markReply()
      this.owed.demandEverything()
      return "subscription"
    }
    if (request.responseNonce !== last.sent?.nonce) return "stale"
    return grown ? "subscription" : "ack"
  }

  markChanged(names: Iterable<string> | "all"): void {
    if (names === "all") return this.owed.markAllChanged()
    for (const name of names) if (this.wildcard || this.names.has(name)) this.owed.markChanged(name)
  }

  markFirst(names: Iterable<string>): void {
    if (this.allRequired) return
    for (const name of names)
      if (this.names.has(name) && this.held.get(name) !== undefined) this.owed.markFirst(name)
  }

  /**
   * A client that got new clusters warms them: it asks for their endpoints by a request that looks like an ACK it
   * has sent before, and uses none of them until it is answered, although nothing changed (S-84).
   */
  parentSent(): void {
    this.nonceBeforeParent = this.acknowledgement.sent?.nonce
  }

  wanted(): ReadonlyArray<string> {
    if (this.owesFirst) return sorted(this.owed.first)
    if (this.wildcard) return [wildcardName, ...sorted(this.names)]
    return sorted(this.allRequired || this.owed.concernsAll ? this.names : this.owed.names)
  }

  respond(generated: ReadonlyArray<XdsResource>): Answer | undefined {
    if (this.owesFirst) return this.respondFirst(generated)
    const resources = this.allRequired ? this.whole(generated) : this.due(generated)
    if (this.owed.concernsAll && resources?.length === generated.length) this.nonceBeforeParent = undefined
    this.owed.clear()
    if (resources === undefined) return undefined
    if (this.allRequired) this.held.clear()
    for (const { name, version } of resources) this.held.set(name, version)
    return { resources, removed: [] }
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
    this.owed.settleFirst(generated.map(({ name }) => name))
    for (const { name, version } of due) this.held.set(name, version)
    return due.length === 0 ? undefined : { resources: due, removed: [] }
  }

  /** All resources if any differs from what the client has, one is gone, or an answer is due. */
  private whole(generated: ReadonlyArray<XdsResource>): ReadonlyArray<XdsResource> | undefined {
    const differs = generated.length !== this.held.size || generated.some((resource) => this.isDue(resource))
    return differs || this.owed.needsReply ? generated : undefined
  }

  private due(generated: ReadonlyArray<XdsResource>): ReadonlyArray<XdsResource> | undefined {
    const due = generated.filter((resource) => this.isDue(resource))
    return due.length > 0 || this.owed.needsReply ? due : undefined
  }

  private isDue({ name, version }: XdsResource): boolean {
    return this.owed.isDemanded(name) || this.held.get(name) !== version
  }

  /** Makes the subscription what the request says; true if it now holds something that it did not hold. */
  private subscribe(requested: ReadonlyArray<string>): boolean {
    if (requested.length > 0) this.everNamed = true
    const wildcard =
      this.allRequired && (requested.length === 0 ? !this.everNamed : requested.includes(wildcardName))
    const names = this.allRequired ? requested.filter((name) => name !== wildcardName) : requested
    const added = names.filter((name) => !this.names.has(name))
    if (added.length > 0 || this.names.size !== names.length) this.dropAllBut(new Set(names))
    for (const name of added) {
      const known = this.listener.subscribed(name)
      this.names.add(known)
      this.owed.markChanged(known)
    }
    const grown = added.length > 0 || (wildcard && !this.wildcard)
    this.wildcard = wildcard
    if (grown && this.allRequired) this.owed.markReply()
    return grown
  }

  private dropAllBut(names: ReadonlySet<string>): void {
    for (const name of this.names) {
      if (names.has(name)) continue
      this.names.delete(name)
      this.held.delete(name)
      this.owed.forget(name)
      this.listener.unsubscribed(name)
    }
  }

  /**
   * The first request that carries a newer nonce is the ACK or NACK of its response; one more with the same nonce is the
   * client waiting, also if a newer response crossed it on its way, and if it names new clusters besides.
   */
  private waitsAgain({ errorDetail, responseNonce }: SotwRequest): boolean {
    if (this.nonceBeforeParent === undefined) return false
    const waits = this.nonceBeforeParent === responseNonce && errorDetail === undefined
    this.nonceBeforeParent = waits ? undefined : responseNonce
    return waits
  }
}
