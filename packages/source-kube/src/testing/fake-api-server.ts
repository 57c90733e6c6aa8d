import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { type FakeApi, Refusal } from "./fake-api.ts"

/** A request as the server got it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingMessage["headers"]
}

/** What a server does instead of answering: refuse, say nothing, break off at once or in the middle. */
export type Fault =
  | {
      readonly fault: "refuse"
      readonly code: number
      readonly reason?: string
      readonly retryAfter?: number
    }
  | { readonly fault: "silence" }
  | { readonly fault: "cut"; readonly afterBytes?: number }

/** A `FakeApi` behind real sockets, which can be stopped, started again at the same port, and told to misbehave. */
export class FakeApiServer {
  readonly received: Array<Received> = []
  /** undefined: nothing is wrong */
  fault: (request: Received) => Fault | undefined = () => undefined
  readonly #api: FakeApi
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #watches = new Set<ServerResponse>()
  #connections = 0
  #port = 0

  constructor(api: FakeApi) {
    this.#api = api
    this.#server = createServer((request, response) => this.#answer(request, response))
    this.#server.on("connection", (socket) => {
      this.#connections++
      this.#sockets.add(socket)
      socket.on("close", () => this.#sockets.delete(socket))
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** all that were ever made */
  get connections(): number {
    return this.#connections
  }

  get watches(): number {
    return this.#watches.size
  }

  kubeconfig(token = "token-of-the-test"): string {
    return JSON.stringify({
      "current-context": "test",
      clusters: [{ name: "test", cluster: { server: this.url } }],
      users: [{ name: "test", user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }]
    })
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(this.#port, "127.0.0.1", resolve))
    this.#port = addressOf(this.#server).port
  }

  /** Cuts all connections and lets nobody in. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://unused")
    const { headers, method = "GET" } = request
    const received = { method, path: url.pathname, query: Object.fromEntries(url.searchParams), headers }
    this.received.push(received)
    const fault = this.fault(received)
    if (fault?.fault === "silence") return
    if (fault?.fault === "refuse") return refuse(response, fault)
    try {
      if (received.query.watch !== undefined) this.#watch(received, response)
      else sendWhole(response, JSON.stringify(this.#api.list(received)), fault)
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      refuse(response, cause)
    }
  }

  #watch(received: Received, response: ServerResponse): void {
    const stop = this.#api.watch(received, (event) => {
      response.write(`${JSON.stringify(event)}\n`)
      if (event.type === "ERROR") response.end()
    })
    if (!response.writableEnded) response.flushHeaders()
    this.#watches.add(response)
    response.on("close", () => {
      stop()
      this.#watches.delete(response)
    })
  }
}

const addressOf = (server: Server): AddressInfo => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address
}

const refuse = (
  response: ServerResponse,
  {
    code,
    reason = "",
    retryAfter
  }: { readonly code: number; readonly reason?: string; readonly retryAfter?: number }
): void => {
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter))
  response.writeHead(code, { "content-type": "application/json" })
  response.end(JSON.stringify({ kind: "Status", code, reason, message: `refused with ${code}` }))
}

const sendWhole = (response: ServerResponse, text: string, fault: Fault | undefined): void => {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  if (fault?.fault !== "cut") return void response.end(text)
  response.write(text.slice(0, fault.afterBytes ?? 0), () => response.destroy())
}
