import { Agent, request } from "node:http"

/** How many requests each backend answered, by its address; other outcomes by status or error. */
export type Answers = Readonly<Record<string, number>>

/** Sends requests through an Envoy, one after the other over one connection. */
export interface Requester extends Disposable {
  /** Who answered one request: the backend's address, or what went wrong. */
  readonly ask: (host: string) => Promise<string>
  /** Who answered `count` requests. */
  readonly askMany: (host: string, count: number) => Promise<Answers>
}

/** A client of the listener at a port of this machine; `host` chooses the route. */
export const requester = (port: number): Requester => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (host: string): Promise<string> =>
    new Promise((done) => {
      const sent = request(
        { agent, host: "127.0.0.1", port, headers: { host }, timeout: 5000 },
        (response) => {
          let body = ""
          response.setEncoding("utf8").on("data", (text: string) => (body += text))
          response.on("end", () => done(response.statusCode === 200 ? body : `status ${response.statusCode}`))
        }
      )
      sent.on("timeout", () => sent.destroy(new Error("timeout")))
      sent.on("error", (error) => done(`error ${error.message}`))
      sent.end()
    })
  return {
    ask,
    askMany: async (host, count) => {
      const answers: Record<string, number> = {}
      for (let i = 0; i < count; i++) {
        const who = await ask(host)
        answers[who] = (answers[who] ?? 0) + 1
      }
      return answers
    },
    [Symbol.dispose]: () => agent.destroy()
  }
}
