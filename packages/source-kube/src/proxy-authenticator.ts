import {
  AuthenticationError,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  type NodeIdentity,
  parseProxy,
  parseSpiffeUri,
  type Peer,
  ProxyAuthenticator,
  spiffeUri
} from "@istiod-lite/model"
import { Context, Effect, Layer } from "effect"
import { ConfigClusterClient } from "./kube-source.ts"
import { makeTokenReviewer, type TokenReviewer, type TokenReviewOptions } from "./token-review.ts"

/**
 * Believes client certificates of the mesh's trust domains, and tokens of service accounts by the API server's word. Who
 * shows neither proves nothing, and is let in as before; who shows a token that is not valid, or says to be of another
 * namespace or service account than it proves, is refused, as Istio does.
 *
 * Besides what its type says it provides `ProxyAuthenticator`, a reference.
 */
export const layerProxyAuthenticator = (
  options: TokenReviewOptions = {}
): Layer.Layer<never, never, MeshConfig | ConfigClusterClient> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const mesh = yield* MeshConfig
      const review = yield* makeTokenReviewer(yield* ConfigClusterClient, options)
      const authenticate = (peer: Peer, node: NodeIdentity) =>
        identitiesOf(peer, mesh.get(meshKey), review).pipe(
          Effect.flatMap((identities) => {
            const reason = contradictionOf(node, identities)
            return reason === undefined ? Effect.succeed(identities) : Effect.fail(reason)
          }),
          Effect.mapError((reason) => new AuthenticationError({ peer: peer.address, node: node.id, reason }))
        )
      return Context.make(ProxyAuthenticator, { authenticate })
    })
  )

/** The SPIFFE ids that a peer proves; fails with what is wrong. */
const identitiesOf = (
  { bearerToken, identities }: Peer,
  mesh: MeshConfigValue | undefined,
  review: TokenReviewer
): Effect.Effect<ReadonlyArray<string>, string> => {
  const trusted = [mesh?.trustDomain ?? "cluster.local", ...(mesh?.trustDomainAliases ?? [])]
  const own = identities.filter((id) => trusted.includes(parseSpiffeUri(id)?.trustDomain ?? ""))
  if (own.length > 0) return Effect.succeed(own)
  if (identities.length > 0)
    return Effect.fail(
      `its identity ${identities.join(", ")} is of no workload of this trust domain, ${trusted[0]}`
    )
  if (bearerToken === undefined) return Effect.succeed([])
  return review(bearerToken).pipe(
    Effect.mapError(({ message }) => `its token cannot be verified: ${message}`),
    Effect.flatMap((reviewed) =>
      reviewed.valid
        ? Effect.succeed([spiffeUri(trusted[0] ?? "", reviewed.namespace, reviewed.serviceAccount)])
        : Effect.fail(`its token is not valid: ${reviewed.reason}`)
    )
  )
}

/** What a node says of itself and its identity disproves; undefined: nothing. */
const contradictionOf = (node: NodeIdentity, identities: ReadonlyArray<string>): string | undefined => {
  if (identities.length === 0) return undefined
  const { namespace, serviceAccount } = parseProxy(node)
  const fits = identities.some((id) => {
    const proven = parseSpiffeUri(id)
    return (
      (namespace === "" || proven?.namespace === namespace) &&
      (serviceAccount === "" || proven?.serviceAccount === serviceAccount)
    )
  })
  if (fits) return undefined
  const said =
    serviceAccount === "" ? `namespace ${namespace}` : `service account ${namespace}/${serviceAccount}`
  return `it says to be of ${said}, and its identity is ${identities.join(", ")}`
}
