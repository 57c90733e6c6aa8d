import { DeltaDiscoveryRequest, type Node } from "@istiod-lite/xds-proto"
import type { RequestKind } from "./acknowledgement.ts"
import { DeltaSession } from "./delta-session.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import { type KnownNames, type SotwMessage, SotwRequestReader } from "./sotw-request-reader.ts"
import { SotwSession } from "./sotw-session.ts"
import type { SubscriptionListener, TypeSession } from "./type-session.ts"

/** What requests of both protocols have in common. */
export interface RequestHead {
  readonly node?: Node | undefined
  readonly typeUrl: string
  readonly responseNonce: string
  readonly errorDetail?: { readonly message: string } | undefined
}

/** A session that takes in the requests of its protocol. */
export interface RequestSession<Request> extends TypeSession {
  readonly onRequest: (request: Request, at: number) => RequestKind
}

/** How the streams of one of the two methods read requests and keep state. */
export interface Protocol<Request extends RequestHead> {
  readonly name: XdsProtocol
  /** Reads the requests of one stream, in the order in which they come; throws on bytes that are no request. */
  readonly reader: (known: KnownNames) => (message: Uint8Array) => Request
  readonly session: (allResourcesRequired: boolean, listener: SubscriptionListener) => RequestSession<Request>
}

/** StreamAggregatedResources */
export const sotwProtocol: Protocol<SotwMessage> = {
  name: "sotw",
  reader: (known) => {
    const reader = new SotwRequestReader(known)
    return (message) => reader.read(message)
  },
  session: (allResourcesRequired, listener) => new SotwSession(allResourcesRequired, listener)
}

/** DeltaAggregatedResources */
export const deltaProtocol: Protocol<DeltaDiscoveryRequest> = {
  name: "delta",
  reader: () => (message) => DeltaDiscoveryRequest.decode(message),
  session: (allResourcesRequired, listener) => new DeltaSession(allResourcesRequired, listener)
}
