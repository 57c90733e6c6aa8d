import {
  ClusterLoadAssignment,
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponse,
  DiscoveryRequest,
  DiscoveryResponse,
  type Node
} from "@istiod-lite/xds-proto"

/** One resource as a test sees it. */
export interface ReceivedResource {
  readonly name: string
  /** its own version on delta streams, the response's on others */
  readonly version: string
  readonly bytes: Uint8Array
}

/** One response of either protocol. */
export interface ReceivedResponse {
  readonly typeUrl: string
  readonly nonce: string
  readonly version: string
  readonly resources: ReadonlyArray<ReceivedResource>
  /** delta streams only */
  readonly removed: ReadonlyArray<string>
}

/** What a client asks for of one type, in either protocol. */
export interface TestRequest {
  readonly node?: Node | undefined
  readonly typeUrl: string
  /** all names that are subscribed to now; state-of-the-world requests say them all */
  readonly names: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
  readonly dropped: ReadonlyArray<string>
  readonly initialVersions: Readonly<Record<string, string>>
  readonly version: string
  readonly nonce: string
  /** the message of a NACK */
  readonly refusal?: string | undefined
}

/** One of the two methods: its name and how its messages are written and read. */
export interface TestProtocol {
  readonly method: string
  readonly write: (request: TestRequest) => Uint8Array
  readonly read: (message: Uint8Array) => ReceivedResponse
}

const errorOf = (refusal: string | undefined) =>
  refusal === undefined ? undefined : { code: 13, message: refusal, details: [] }

/** Envoy's resources have their name in field 1, and so has an assignment: enough of any to tell its name. */
const nameOf = (bytes: Uint8Array): string => ClusterLoadAssignment.decode(bytes).clusterName

/** state-of-the-world */
export const sotwTestProtocol: TestProtocol = {
  method: "StreamAggregatedResources",
  write: ({ names, node, nonce, refusal, typeUrl, version }) =>
    DiscoveryRequest.encode({
      versionInfo: version,
      node,
      resourceNames: names,
      resourceLocators: [],
      typeUrl,
      responseNonce: nonce,
      errorDetail: errorOf(refusal)
    }).finish(),
  read: (message) => {
    const { nonce, resources, typeUrl, versionInfo } = DiscoveryResponse.decode(message)
    return {
      typeUrl,
      nonce,
      version: versionInfo,
      resources: resources.map(({ value }) => ({ name: nameOf(value), version: versionInfo, bytes: value })),
      removed: []
    }
  }
}

/** incremental */
export const deltaTestProtocol: TestProtocol = {
  method: "DeltaAggregatedResources",
  write: ({ added, dropped, initialVersions, node, nonce, refusal, typeUrl }) =>
    DeltaDiscoveryRequest.encode({
      node,
      typeUrl,
      resourceNamesSubscribe: added,
      resourceNamesUnsubscribe: dropped,
      resourceLocatorsSubscribe: [],
      resourceLocatorsUnsubscribe: [],
      initialResourceVersions: initialVersions,
      responseNonce: nonce,
      errorDetail: errorOf(refusal)
    }).finish(),
  read: (message) => {
    const { nonce, removedResources, resources, systemVersionInfo, typeUrl } =
      DeltaDiscoveryResponse.decode(message)
    return {
      typeUrl,
      nonce,
      version: systemVersionInfo,
      resources: resources.map(({ name, resource, version }) => ({
        name,
        version,
        bytes: resource?.value ?? new Uint8Array()
      })),
      removed: removedResources
    }
  }
}
