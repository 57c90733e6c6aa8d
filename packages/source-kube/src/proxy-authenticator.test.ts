import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import {
  defaultMeshConfig,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  type Peer,
  ProxyAuthenticator
} from "@istiod-lite/model"
import { Effect, Layer } from "effect"
import type { KubeClient, KubeRequest } from "./kube-client.ts"
import { KubeError } from "./kube-error.ts"
import { ConfigClusterClient } from "./kube-source.ts"
import { layerProxyAuthenticator } from "./proxy-authenticator.ts"

const billing = "spiffe://cluster.local/ns/shop/sa/billing-vm"

const unused = () => Effect.die(new Error("not asked"))

/** An API server that knows one token. */
const reviewer = (requests: Array<KubeRequest>, isDown = () => false): KubeClient => {
  const answer = (request: KubeRequest): Effect.Effect<unknown, KubeError> => {
    requests.push(request)
    if (isDown()) {
      return Effect.fail(
        new KubeError({
          operation: request.operation,
          status: undefined,
          reason: "",
          detail: "connection refused"
        })
      )
    }
    const token = JSON.stringify(request.body).match(/"token":"([^"]*)"/)?.[1]
    return Effect.succeed({
      status:
        token === "good"
          ? { authenticated: true, user: { username: "system:serviceaccount:shop:billing-vm" } }
          : token === "person"
            ? { authenticated: true, user: { username: "alice" } }
            : { authenticated: false, error: "invalid bearer token" }
    })
  }
  return { server: "https://192.0.2.1", json: answer, bytes: unused, stream: unused }
}

const authenticating = (
  client: KubeClient,
  mesh: Partial<MeshConfigValue> = {}
): Effect.Effect<(peer: Partial<Peer>, metadata?: object) => Effect.Effect<ReadonlyArray<string>, string>> =>
  Effect.gen(function* () {
    const { authenticate } = yield* ProxyAuthenticator
    return (peer: Partial<Peer>, metadata: object = {}) =>
      authenticate(
        { address: "192.0.2.7:1234", identities: [], ...peer },
        {
          id: "sidecar~192.0.2.7~vm.shop~shop.svc.cluster.local",
          metadata: { NAMESPACE: "shop", ...metadata }
        }
      ).pipe(Effect.mapError(({ reason }) => reason))
  }).pipe(
    Effect.provide(
      layerProxyAuthenticator().pipe(
        Layer.provide(Layer.succeed(ConfigClusterClient, client)),
        Layer.provide(
          Layer.sync(MeshConfig, () => {
            const source = new Graph().source<MeshConfigValue>("mesh")
            source.set(meshKey, { ...defaultMeshConfig, ...mesh })
            return source
          })
        )
      )
    )
  )

describe("layerProxyAuthenticator", () => {
  it.effect("believes certificates of the mesh's trust domains, and refuses those of others", () =>
    Effect.gen(function* () {
      const authenticate = yield* authenticating(reviewer([]), { trustDomainAliases: ["old.example"] })
      assert.deepStrictEqual(yield* authenticate({ identities: [billing] }), [billing])
      const alias = "spiffe://old.example/ns/shop/sa/billing-vm"
      assert.deepStrictEqual(yield* authenticate({ identities: [alias] }), [alias])
      const foreign = yield* Effect.flip(
        authenticate({ identities: ["spiffe://evil.example/ns/shop/sa/billing-vm"] })
      )
      assert.match(foreign, /no workload of this trust domain/)
      const malformed = yield* Effect.flip(
        authenticate({ identities: ["spiffe://cluster.local/workload/1"] })
      )
      assert.match(malformed, /no workload of this trust domain/)
      const longer = yield* Effect.flip(
        authenticate({ identities: ["spiffe://cluster.local.evil/ns/shop/sa/billing-vm"] })
      )
      assert.match(longer, /no workload of this trust domain/)
    })
  )

  it.effect(
    "believes tokens by the API server's word, for the mesh's audience, and remembers it for a while",
    () =>
      Effect.gen(function* () {
        const requests: Array<KubeRequest> = []
        const authenticate = yield* authenticating(reviewer(requests))
        assert.deepStrictEqual(yield* authenticate({ bearerToken: "good" }), [billing])
        assert.deepStrictEqual(yield* authenticate({ bearerToken: "good" }), [billing])
        assert.lengthOf(requests, 1)
        assert.deepInclude(requests[0]?.body, { spec: { token: "good", audiences: ["istio-ca"] } })
      })
  )

  it.effect("refuses tokens that are not valid, are no service account's, or cannot be verified", () =>
    Effect.gen(function* () {
      let isDown = false
      const authenticate = yield* authenticating(reviewer([], () => isDown))
      assert.match(
        yield* Effect.flip(authenticate({ bearerToken: "bad" })),
        /not valid: invalid bearer token/
      )
      assert.match(
        yield* Effect.flip(authenticate({ bearerToken: "person" })),
        /of alice, not of a service account/
      )
      isDown = true
      assert.match(
        yield* Effect.flip(authenticate({ bearerToken: "fresh" })),
        /cannot be verified: .*connection refused/
      )
      // What was verified a moment ago still is.
      assert.match(yield* Effect.flip(authenticate({ bearerToken: "bad" })), /not valid/)
    })
  )

  it.effect("who shows nothing proves nothing, and is let in", () =>
    Effect.gen(function* () {
      const authenticate = yield* authenticating(reviewer([]))
      assert.deepStrictEqual(yield* authenticate({}), [])
    })
  )

  it.effect("refuses a node that says to be somebody else than it proves", () =>
    Effect.gen(function* () {
      const authenticate = yield* authenticating(reviewer([]))
      const other = yield* Effect.flip(authenticate({ identities: [billing] }, { NAMESPACE: "bank" }))
      assert.match(other, /says to be of namespace bank/)
      const account = yield* Effect.flip(
        authenticate({ identities: [billing] }, { SERVICE_ACCOUNT: "admin" })
      )
      assert.match(account, /says to be of service account shop\/admin/)
      assert.deepStrictEqual(
        yield* authenticate({ identities: [billing] }, { SERVICE_ACCOUNT: "billing-vm" }),
        [billing]
      )
    })
  )
})
