import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { sotwTestProtocol } from "../xds-test-protocol.ts"
import { bakeryWith, home } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { routable } from "./support/received.ts"
import { watchRequests } from "./support/requests.ts"

/** A control plane that has read Services but not their slices, and one request that it has taken in. */
const halfRead = Effect.gen(function* () {
  const { dealtWith, observer } = yield* watchRequests
  const plane = yield* bakeryWith([kubeService("oven")], { synced: false, server: { observers: [observer] } })
  const finishReading = () =>
    plane.source.transaction(() => {
      plane.source.apply(home, endpointSlice("oven", "198.51.100.21"))
      plane.source.store.markSynced(home)
    })
  return { ...plane, dealtWith, finishReading }
})

describe("case 45: clients ask a control plane that has just started", () => {
  it.live("are answered when everything has been read, not with nothing", () =>
    Effect.gen(function* () {
      const { connect, connections, dealtWith, finishReading } = yield* halfRead
      const client = yield* connect(sidecar("web"))
      // What a client sends that has had these endpoints from an earlier instance.
      const request = client.sendRaw(
        sotwTestProtocol.write({
          node: { ...emptyNode, ...sidecar("web") },
          typeUrl: endpointTypeUrl,
          names: [cluster("oven")],
          added: [],
          dropped: [],
          initialVersions: {},
          version: "earlier-7",
          nonce: "earlier-7"
        })
      )
      yield* request
      yield* dealtWith(request)
      assert.isUndefined(connections()[0]?.subscriptions[0]?.sent)
      finishReading()
      const first = yield* client.next(endpointTypeUrl)
      assert.deepEqual(first.resources.map(routable), [["198.51.100.21:8080"]])
    })
  )

  it.live("keep on delta streams what they have had from an earlier instance", () =>
    Effect.gen(function* () {
      const { connect, connections, dealtWith, finishReading } = yield* halfRead
      const client = yield* connect(sidecar("web"), { delta: true })
      yield* client.subscribe(endpointTypeUrl, [cluster("oven")], { [cluster("oven")]: "earlier" })
      yield* dealtWith(client.askAgain(endpointTypeUrl))
      assert.isUndefined(connections()[0]?.subscriptions[0]?.sent)
      finishReading()
      const first = yield* client.next(endpointTypeUrl)
      assert.deepEqual(first.removed, [])
      assert.deepEqual(first.resources.map(routable), [["198.51.100.21:8080"]])
    })
  )

  it.live("are answered also when the last thing to be read is that there is nothing more", () =>
    Effect.gen(function* () {
      const { connect, dealtWith, source } = yield* halfRead
      source.apply(home, endpointSlice("oven", "198.51.100.21"))
      const client = yield* connect(sidecar("web"))
      yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
      yield* dealtWith(client.askAgain(endpointTypeUrl))
      source.store.markSynced(home)
      const first = yield* client.next(endpointTypeUrl)
      assert.deepEqual(first.resources.map(routable), [["198.51.100.21:8080"]])
    })
  )
})

const emptyNode = {
  cluster: "",
  dynamicParameters: {},
  userAgentName: "",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
}
