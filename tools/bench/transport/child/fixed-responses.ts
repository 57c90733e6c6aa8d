/**
 * A transport that sends one fixed response to all its streams whenever it is asked to (POST on another port): what pushes
 * cost without looking up and encoding anything. `node fixed-responses.ts TRANSPORT BYTES` prints both ports.
 */
import {
  grpcJsTransport,
  http2Transport,
  Serving,
  SharedMessage,
  type XdsConnection
} from "@istiod-lite/xds-server"
import { Effect } from "effect"
import { createServer } from "node:http"

const [name = "http2", bytes = "0"] = process.argv.slice(2)
const transport = name === "http2" ? http2Transport() : grpcJsTransport()
const resource = new Uint8Array(Number(bytes))
const connections = new Set<XdsConnection>()
const nothing = (): void => undefined

/** Made anew for each push, as responses are; shared by its streams. */
const response = (): SharedMessage => new SharedMessage([new Uint8Array(40), resource, new Uint8Array(100)])

const listening = transport.listen(
  { host: "127.0.0.1", port: 0 },
  (connection) => ({
    onMessage: () => {
      if (connections.has(connection)) return
      connections.add(connection)
      connection.send(response(), nothing)
    },
    onClose: () => connections.delete(connection)
  }),
  new Serving()
)

const control = createServer((_, answer) => {
  const message = response()
  for (const connection of connections) connection.send(message, nothing)
  answer.end()
})

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { port } = yield* listening
      control.listen(0, "127.0.0.1", () => {
        const address = control.address()
        const controlPort = typeof address === "object" && address !== null ? address.port : 0
        process.stdout.write(`${JSON.stringify({ port, controlPort })}\n`)
      })
      return yield* Effect.never
    })
  )
)
