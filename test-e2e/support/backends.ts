import { createServer, type Server } from "node:http"

/** HTTP servers on loopback addresses that play pods and machines. */
export interface Backends extends AsyncDisposable {
  /** The one port that all of them listen on. */
  readonly port: number
}

const listen = (address: string, port: number): Promise<Server> =>
  new Promise((done, fail) => {
    const server = createServer((_request, response) => response.end(address))
    server.on("error", fail)
    server.listen(port, address, () => done(server))
  })

/** Starts one server per address; each answers any request with its address. */
export const startBackends = async (addresses: ReadonlyArray<string>, port: number): Promise<Backends> => {
  const servers = await Promise.all(addresses.map((address) => listen(address, port)))
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
    }
  }
}
