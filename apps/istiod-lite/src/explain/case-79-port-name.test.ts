import { assert, describe, it } from "@effect/vitest"
import type { Service } from "@istiod-lite/model"
import { Effect } from "effect"
import { causes, clientOf, type ExplainedPlane, explainedPlane } from "../testing/explained-plane.ts"
import { service, slice } from "../testing/manifests.ts"
import { explainService } from "./explain-service.ts"

const hostname = "inv.shop.svc.cluster.local"
const web = clientOf("web-7c9d-x2x", "shop", { NETWORK: "net-east" })

const invSlice = (portName: string) => ({
  ...slice("inv", ""),
  ports: [{ name: portName, port: 8080, protocol: "TCP" }],
  endpoints: [
    { addresses: ["198.51.100.11"], conditions: { ready: true, serving: true, terminating: false } },
    { addresses: ["198.51.100.12"], conditions: { ready: false, serving: false, terminating: false } }
  ]
})

/** Outcome and causes of each address of the service's port 80, for web. */
const explained = (plane: ExplainedPlane) => {
  const context = plane.context()
  const inv = context.serviceOf("shop", hostname)
  assert.isDefined(inv)
  const definitions: readonly [Service] = [inv]
  const { endpoints, findings } = explainService(context, definitions, 80, web)
  return {
    findings,
    endpoints: Object.fromEntries(
      endpoints.map((one) => [
        one.address,
        [one.outcome, ...causes(one).map(({ stage, text }) => `${stage}: ${text}`)]
      ])
    )
  }
}

const portName = (address: string) =>
  `port name: ${address}:8080 (EndpointSlice shop/inv-1) serves port name "http", the service port is named "http-web"`

describe("case 79: endpoints exist, but the cluster is empty", () => {
  it.effect("names each address with every rule that keeps it back, and follows the repair", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane([
        service("inv", { ports: [{ name: "http-web", port: 80, targetPort: 8080 }] }),
        invSlice("http")
      ])
      const before = explained(plane)
      assert.deepEqual(before.endpoints, {
        "198.51.100.11:8080": ["not sent", portName("198.51.100.11")],
        "198.51.100.12:8080": ["not sent", portName("198.51.100.12"), "health: not ready"]
      })
      const [finding] = before.findings
      assert.match(finding?.text ?? "", /no endpoint serves port 80, named "http-web": endpoints have "http"/)

      plane.apply(invSlice("http-web"))
      const after = explained(plane)
      assert.deepEqual(after.endpoints, {
        "198.51.100.11:8080": ["sent"],
        "198.51.100.12:8080": ["not usable", "health: not ready"]
      })
      assert.deepEqual(after.findings, [])
    })
  )
})
