import { assert, describe, it } from "@effect/vitest"
import { createServer as createHttpServer } from "node:http"
import { createServer as createHttp2Server } from "node:http2"
import { createServer, type Server } from "node:net"
import type { Probe, ProbeTarget } from "./probe.ts"
import { runProbe } from "./run-probe.ts"

const probe = (target: ProbeTarget, timeout = 2000): Probe => ({
  target,
  timeout,
  initialDelay: 0,
  period: 1000,
  successThreshold: 1,
  failureThreshold: 1
})
const http = (port: number, path: string): ProbeTarget => ({
  kind: "http",
  port,
  path,
  https: false,
  host: undefined,
  headers: { "x-probe": "yes" }
})

/** Runs with a server on a port of its own. */
const withServer = async (server: Server, run: (port: number) => Promise<void>): Promise<void> => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  try {
    await run(typeof address === "object" && address !== null ? address.port : 0)
  } finally {
    server.close()
  }
}

describe("runProbe", () => {
  it("HTTP: statuses from 200 to 399 are a success, and its headers are sent", async () => {
    const server = createHttpServer((request, response) => {
      const status = Number(request.url?.slice(1))
      response.writeHead(request.headers["x-probe"] === "yes" ? status : 400).end("as asked")
    })
    await withServer(server, async (port) => {
      assert.isUndefined(await runProbe("127.0.0.1", probe(http(port, "/200"))))
      assert.isUndefined(await runProbe("127.0.0.1", probe(http(port, "/302"))))
      assert.strictEqual(await runProbe("127.0.0.1", probe(http(port, "/503"))), "HTTP status 503")
    })
  })

  it("no answer in time is a failure", async () => {
    await withServer(
      createHttpServer(() => undefined),
      async (port) => {
        const said = await runProbe("127.0.0.1", probe(http(port, "/200"), 30))
        assert.strictEqual(said, "no answer within 30 ms")
      }
    )
  })

  it("TCP: that somebody listens is enough", async () => {
    let free = 0
    await withServer(
      createServer((socket) => socket.destroy()),
      async (port) => {
        free = port
        assert.isUndefined(await runProbe("127.0.0.1", probe({ kind: "tcp", port })))
      }
    )
    assert.match((await runProbe("127.0.0.1", probe({ kind: "tcp", port: free }))) ?? "", /ECONNREFUSED/)
  })

  it("gRPC: the health of the service that is asked for", async () => {
    const answers: Readonly<Record<string, string>> = { "": "SERVING", billing: "NOT_SERVING", gone: "12" }
    const server = createHttp2Server()
    server.on("stream", (stream, headers) => {
      stream.on("data", (frame: Buffer) => {
        const answer = answers[frame.subarray(7).toString()] ?? ""
        assert.strictEqual(headers[":path"], "/grpc.health.v1.Health/Check")
        stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true })
        const status = answer === "12" ? "12" : "0"
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status }))
        stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, answer === "SERVING" ? 1 : 2]))
      })
    })
    await withServer(server, async (port) => {
      const ask = (service: string) => runProbe("127.0.0.1", probe({ kind: "grpc", port, service }))
      assert.isUndefined(await ask(""))
      assert.strictEqual(await ask("billing"), "gRPC health: serving status 2")
      assert.strictEqual(await ask("gone"), "gRPC status 12")
    })
    assert.match(
      (await runProbe("127.0.0.1", probe({ kind: "grpc", port: 1, service: "" }))) ?? "",
      /REFUSED/
    )
  })
})
