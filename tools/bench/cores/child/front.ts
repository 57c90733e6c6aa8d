/**
 * An xDS front of several processes on one port, beside one process that knows what to send: whenever it is asked to (POST on
 * another port), each process sends one fixed response to all its streams. `node front.ts PROCESSES BYTES` prints both ports and
 * the processes' ids.
 */
import { http2Transport, Serving, SharedMessage, type XdsConnection } from "@istiod-lite/xds-server"
import { Effect } from "effect"
import cluster, { type Worker } from "node:cluster"
import { createServer } from "node:http"

const [processes = "1", bytes = "0"] = process.argv.slice(2)
const connections = new Set<XdsConnection>()
const nothing = (): void => undefined

/** Made anew for each push, as responses are; shared by the streams of a process. */
const response = (resource: Uint8Array): SharedMessage =>
  new SharedMessage([new Uint8Array(40), resource, new Uint8Array(100)])

/** In each process of the front: what the core sends goes to all streams. */
const serve = (): void => {
  let last = response(new Uint8Array(Number(bytes)))
  process.on("message", (resource: Uint8Array) => {
    last = response(resource)
    for (const connection of connections) connection.send(last, nothing)
  })
  const listening = http2Transport().listen(
    { host: "127.0.0.1", port: 0 },
    (connection) => ({
      onMessage: () => {
        if (connections.has(connection)) return
        connections.add(connection)
        connection.send(last, nothing)
      },
      onClose: () => connections.delete(connection)
    }),
    new Serving()
  )
  void Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        process.send?.((yield* listening).port)
        return yield* Effect.never
      })
    )
  )
}

const portOf = (worker: Worker): Promise<number> =>
  new Promise((done) => worker.once("message", (port: number) => done(port)))

/** The core: it hands the bytes of a push to each process of the front. */
const lead = async (): Promise<void> => {
  cluster.setupPrimary({ serialization: "advanced" })
  const workers = Array.from({ length: Number(processes) }, () => cluster.fork())
  const [port] = await Promise.all(workers.map(portOf))
  const control = createServer((_, answer) => {
    const resource = new Uint8Array(Number(bytes))
    for (const worker of workers) worker.send(resource)
    answer.end()
  })
  control.listen(0, "127.0.0.1", () => {
    const address = control.address()
    const controlPort = typeof address === "object" && address !== null ? address.port : 0
    const pids = [process.pid, ...workers.map((worker) => worker.process.pid)]
    process.stdout.write(`${JSON.stringify({ port, controlPort, pids })}\n`)
  })
}

if (cluster.isPrimary) await lead()
else serve()
