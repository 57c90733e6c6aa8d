import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KubeRequest } from "./kube-client.ts"
import { loadKubeConfig } from "./load-kube-config.ts"
import { makeKubeClient } from "./make-kube-client.ts"
import { FakeApi } from "./testing/fake-api.ts"
import { FakeApiServer } from "./testing/fake-api-server.ts"
import { rawPod } from "./testing/raw-objects.ts"

const listPods: KubeRequest = { operation: "list pods", method: "GET", path: "/api/v1/pods" }
const watchPods: KubeRequest = { ...listPods, query: { watch: "1", resourceVersion: "1000" } }

const startServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const api = new FakeApi()
    const server = new FakeApiServer(api)
    await server.start()
    return { api, server }
  }),
  ({ server }) => Effect.promise(() => server.stop())
)

const connect = (text: string) =>
  Effect.flatMap(
    loadKubeConfig({ from: "text", text, subject: "the kubeconfig of the test" }),
    makeKubeClient
  )

const start = Effect.gen(function* () {
  const { api, server } = yield* startServer
  return { api, server, client: yield* connect(server.kubeconfig()) }
})

describe("makeKubeClient", () => {
  it.live("reads JSON with its token over few connections, however many requests follow each other", () =>
    Effect.gen(function* () {
      const { api, client, server } = yield* start
      api.put(rawPod("a"))
      for (let time = 0; time < 10; time++) {
        const list = yield* client.json(listPods)
        assert.nestedPropertyVal(list, "items[0].metadata.name", "a")
      }
      assert.strictEqual(server.received[0]?.headers.authorization, "Bearer token-of-the-test")
      // A second one is made if the first has not quite come to rest.
      assert.isAtMost(server.connections, 2)
    })
  )

  it.live("gives the reason of a refusal, and how long to wait", () =>
    Effect.gen(function* () {
      const { client, server } = yield* start
      server.fault = () => ({ fault: "refuse", code: 429, reason: "TooManyRequests", retryAfter: 3 })
      const error = yield* Effect.flip(client.json(listPods))
      assert.deepInclude(error, { status: 429, reason: "TooManyRequests", retryAfter: 3000 })
      assert.include(error.message, `list pods at ${server.url}`)
      assert.notInclude(error.message, "token-of-the-test")
    })
  )

  it.live("asks once more with credentials that were read again when it is not let in", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer
      const folder = yield* temporaryFolder
      const file = join(folder, "kubeconfig")
      writeFileSync(file, server.kubeconfig("old"))
      const client = yield* Effect.flatMap(loadKubeConfig({ from: "file", file }), makeKubeClient)
      server.fault = ({ headers }) =>
        headers.authorization === "Bearer new"
          ? undefined
          : { fault: "refuse", code: 401, reason: "Unauthorized" }
      const error = yield* Effect.flip(client.json(listPods))
      assert.strictEqual(error.status, 401)
      assert.lengthOf(server.received, 2)
      writeFileSync(file, server.kubeconfig("new"))
      yield* client.json(listPods)
      assert.lengthOf(server.received, 4)
    })
  )

  it.live("reads a token's file again, so that tokens may be replaced under way", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer
      const tokenFile = join(yield* temporaryFolder, "token")
      writeFileSync(tokenFile, "first")
      const config = JSON.stringify({
        ...JSON.parse(server.kubeconfig()),
        users: [{ name: "test", user: { tokenFile } }]
      })
      const client = yield* connect(config)
      server.fault = ({ headers }) =>
        headers.authorization === "Bearer second" ? undefined : { fault: "refuse", code: 401 }
      writeFileSync(tokenFile, "second")
      yield* client.json(listPods)
    })
  )

  it.live("runs a program for credentials once for requests that begin together", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer
      const folder = yield* temporaryFolder
      const status = { token: "from-program" }
      const credential = JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", status })
      const script = `echo ran >> ${folder}/runs; echo '${credential}'`
      const exec = { command: "sh", args: ["-c", script] }
      const client = yield* connect(
        JSON.stringify({ ...JSON.parse(server.kubeconfig()), users: [{ name: "test", user: { exec } }] })
      )
      yield* Effect.all([client.json(listPods), client.json(listPods), client.json(listPods)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(readFileSync(join(folder, "runs"), "utf8"), "ran\n")
      assert.strictEqual(server.received[2]?.headers.authorization, "Bearer from-program")
    })
  )

  it.live("fails, and does not hang, when an answer breaks off", () =>
    Effect.gen(function* () {
      const { api, client, server } = yield* start
      api.put(rawPod("a"))
      for (const afterBytes of [0, 20]) {
        server.fault = () => ({ fault: "cut", afterBytes })
        const error = yield* Effect.flip(client.json(listPods))
        assert.isUndefined(error.status)
      }
    })
  )

  it.live("says that there is no answer when nobody listens", () =>
    Effect.gen(function* () {
      const { client, server } = yield* start
      yield* Effect.promise(() => server.stop())
      const error = yield* Effect.flip(client.json(listPods))
      assert.isUndefined(error.status)
      assert.match(error.message, /ECONNREFUSED|other side closed/)
      yield* Effect.promise(() => server.start())
    })
  )

  it.live("gives a watch piece by piece, and lets go of it with its scope", () =>
    Effect.gen(function* () {
      const { api, client, server } = yield* start
      const text = yield* Effect.scoped(
        Effect.gen(function* () {
          const { body } = yield* client.stream(watchPods)
          api.put(rawPod("a"))
          const [piece] = yield* Stream.runCollect(Stream.take(body, 1))
          return new TextDecoder().decode(piece)
        })
      )
      assert.include(text, `"type":"ADDED"`)
      yield* Effect.promise(() => serverHas(server, 0))
    })
  )

  it.live("puts what a gateway's URL has before its own paths", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer
      const config = server.kubeconfig().replace(server.url, `${server.url}/k8s/east/`)
      const client = yield* connect(config)
      yield* client.json(listPods)
      assert.strictEqual(server.received[0]?.path, "/k8s/east/api/v1/pods")
    })
  )
})

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "kubeconfig-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Until so many watches are open: closing takes a turn of the event loop on both sides. */
const serverHas = async (server: FakeApiServer, watches: number): Promise<void> => {
  while (server.watches !== watches) await new Promise((resolve) => void setImmediate(resolve))
}
