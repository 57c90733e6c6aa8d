import { assert, describe, it } from "@effect/vitest"
import type { WriteProblem } from "@istiod-lite/model"
import { Effect, Stream } from "effect"
import type { KubeClient, KubeRequest } from "./kube-client.ts"
import { KubeError } from "./kube-error.ts"
import { makeObjectWriter } from "./object-writer.ts"

const machine = {
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  namespace: "shop",
  name: "vm-1"
} as const
const path = "/apis/networking.istio.io/v1/namespaces/shop/workloadentries"
const raw = {
  apiVersion: machine.apiVersion,
  kind: machine.kind,
  metadata: { name: "vm-1", namespace: "shop", resourceVersion: "7" }
}

/** A client that answers the same to everything, and remembers what was asked. */
const clientThat = (answer: (request: KubeRequest) => Effect.Effect<unknown, KubeError>) => {
  const requests: Array<KubeRequest> = []
  const client: KubeClient = {
    server: "https://192.0.2.10:6443",
    json: (request) => {
      requests.push(request)
      return answer(request)
    },
    bytes: () => Effect.die("not asked"),
    stream: () => Effect.succeed({ contentType: "", body: Stream.empty })
  }
  return { writer: makeObjectWriter(client), requests }
}

const refusing = (status: number | undefined, reason = "") =>
  clientThat(({ operation }) =>
    Effect.fail(new KubeError({ operation, status, reason, detail: "as the test wants it" }))
  )

describe("makeObjectWriter", () => {
  it.effect("asks for objects where they are, and writes the status apart", () =>
    Effect.gen(function* () {
      const { requests, writer } = clientThat(() => Effect.succeed(raw))
      yield* writer.get(machine)
      yield* writer.create(raw)
      yield* writer.replace(raw)
      yield* writer.replace(raw, "status")
      yield* writer.delete(machine)
      assert.deepStrictEqual(
        requests.map((request) => [request.method, request.path]),
        [
          ["GET", `${path}/vm-1`],
          ["POST", path],
          ["PUT", `${path}/vm-1`],
          ["PUT", `${path}/vm-1/status`],
          ["DELETE", `${path}/vm-1`]
        ]
      )
    })
  )

  it.effect("binds patches and deletions to what the object is", () =>
    Effect.gen(function* () {
      const { requests, writer } = clientThat(() => Effect.succeed(raw))
      const annotations = { "istio.io/connectedAt": "now" }
      yield* writer.patch(machine, { metadata: { annotations } }, { resourceVersion: "7", uid: "u-1" })
      yield* writer.delete(machine, { uid: "u-1" })
      assert.deepStrictEqual(requests[0]?.body, {
        metadata: { annotations, resourceVersion: "7", uid: "u-1" }
      })
      assert.strictEqual(requests[0]?.contentType, "application/merge-patch+json")
      assert.deepInclude(requests[1]?.body, { kind: "DeleteOptions", preconditions: { uid: "u-1" } })
    })
  )

  it.effect("makes exports of services", () =>
    Effect.gen(function* () {
      const exported = {
        apiVersion: "multicluster.x-k8s.io/v1alpha1",
        kind: "ServiceExport",
        metadata: { name: "cart", namespace: "shop" }
      }
      const { requests, writer } = clientThat(() => Effect.succeed(exported))
      yield* writer.create(exported)
      assert.deepStrictEqual(
        requests.map((request) => request.path),
        ["/apis/multicluster.x-k8s.io/v1alpha1/namespaces/shop/serviceexports"]
      )
    })
  )

  it.effect("lists give each object the kind that lists leave out", () =>
    Effect.gen(function* () {
      const { metadata } = raw
      const { requests, writer } = clientThat(() => Effect.succeed({ items: [{ metadata }] }))
      assert.deepStrictEqual(yield* writer.list(machine), [raw])
      yield* writer.list(machine, "shop")
      assert.deepStrictEqual(
        requests.map((request) => request.path),
        ["/apis/networking.istio.io/v1/workloadentries", path]
      )
    })
  )

  it.effect("what is not there is no failure for who reads or deletes it", () =>
    Effect.gen(function* () {
      const { writer } = refusing(404, "NotFound")
      assert.isUndefined(yield* writer.get(machine))
      yield* writer.delete(machine)
      const error = yield* Effect.flip(writer.replace(raw))
      assert.strictEqual(error.problem, "missing")
      assert.strictEqual(error.message, "Cannot replace WorkloadEntry shop/vm-1: as the test wants it")
    })
  )

  const refusals: ReadonlyArray<readonly [number | undefined, string, WriteProblem]> = [
    [undefined, "", "unavailable"],
    [400, "BadRequest", "invalid"],
    [403, "Forbidden", "forbidden"],
    [409, "AlreadyExists", "exists"],
    [409, "Conflict", "conflict"],
    [422, "Invalid", "invalid"],
    [429, "TooManyRequests", "unavailable"],
    [503, "ServiceUnavailable", "unavailable"]
  ]
  for (const [status, reason, problem] of refusals) {
    it.effect(`${status ?? "no answer"} ${reason} is: ${problem}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(refusing(status, reason).writer.create(raw))
        assert.strictEqual(error.problem, problem)
      })
    )
  }

  for (const name of ["..", "../../secrets/token", "a/status", "A", "", "a%2fb"]) {
    it.effect(`asks nobody for an object called "${name}"`, () =>
      Effect.gen(function* () {
        const { requests, writer } = clientThat(() => Effect.succeed(raw))
        const problems = yield* Effect.forEach(
          [
            writer.get({ ...machine, name }),
            writer.delete({ ...machine, name }),
            writer.patch({ ...machine, namespace: name === "" ? ".." : name }, {})
          ],
          (call) => Effect.map(Effect.flip(Effect.asVoid(call)), ({ problem }) => problem)
        )
        assert.deepStrictEqual(problems, ["invalid", "invalid", "invalid"])
        assert.isEmpty(requests)
      })
    )
  }
})
