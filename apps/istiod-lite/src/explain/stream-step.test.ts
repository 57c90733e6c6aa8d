import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { SubscriptionInfo } from "@istiod-lite/xds-server"
import { clientOf } from "../testing/explained-plane.ts"
import { streamSteps } from "./stream-step.ts"

const cart = "outbound|80||cart.shop.svc.cluster.local"
const sent = { nonce: "n2", version: "9" }
const acknowledged: SubscriptionInfo = {
  typeUrl: endpointTypeUrl,
  names: 1,
  wildcard: false,
  subscribed: new Set([cart]),
  versions: new Map([[cart, "v7"]]),
  owes: false,
  sent,
  accepted: sent,
  refused: undefined
}

const steps = (subscriptions: ReadonlyArray<SubscriptionInfo>) =>
  streamSteps(
    {
      ...clientOf("web-1", "shop"),
      connection: {
        node: "sidecar~10.8.0.9~web-1.shop~shop.svc.cluster.local",
        proxy: undefined,
        peer: "127.0.0.1:40000",
        protocol: "sotw",
        connectedAt: 0,
        writing: false,
        behindSince: undefined,
        subscriptions
      }
    },
    [cart]
  ).map(({ outcome, text }) => `${outcome}: ${text}`)

describe("streamSteps", () => {
  it.each<{
    readonly name: string
    readonly differs: Partial<SubscriptionInfo>
    readonly says: ReadonlyArray<string>
  }>([
    {
      name: "acknowledged",
      differs: {},
      says: [`pass: ${cart}: version v7 sent`, "pass: the last response is acknowledged"]
    },
    {
      name: "not acknowledged yet",
      differs: { accepted: undefined },
      says: [`pass: ${cart}: version v7 sent`, "note: the last response is not acknowledged yet"]
    },
    {
      name: "about to be replaced",
      differs: { owes: true },
      says: [
        `note: ${cart}: version v7 sent, something newer may be on its way`,
        "pass: the last response is acknowledged"
      ]
    },
    {
      name: "not sent yet",
      differs: { versions: new Map(), sent: undefined, accepted: undefined },
      says: [`note: ${cart}: asked for, not sent yet`]
    },
    {
      name: "refused",
      differs: { accepted: undefined, refused: { nonce: "n2", message: "duplicate locality", at: 0 } },
      says: [
        `pass: ${cart}: version v7 sent`,
        "drop: web-1.shop refused the last response: duplicate locality"
      ]
    },
    {
      name: "acknowledged after an older refusal",
      differs: { refused: { nonce: "n1", message: "duplicate locality", at: 0 } },
      says: [`pass: ${cart}: version v7 sent`, "pass: the last response is acknowledged"]
    },
    {
      name: "not asked for",
      differs: { subscribed: new Set() },
      says: [`drop: web-1.shop has not asked for ${cart}`]
    }
  ])("tells what is $name", ({ differs, says }) => {
    assert.deepEqual(steps([{ ...acknowledged, ...differs }]), says)
  })

  it("tells that a client has asked for no endpoints at all, and nothing of one that is not connected", () => {
    assert.deepEqual(steps([]), [`drop: web-1.shop has not asked for ${cart}`])
    assert.deepEqual(streamSteps(clientOf("web-1", "shop"), [cart]), [])
  })
})
