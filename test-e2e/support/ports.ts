import { createServer } from "node:net"

/** A TCP port that is free on all the given addresses just now. */
export const freePort = async (addresses: ReadonlyArray<string> = ["127.0.0.1"]): Promise<number> => {
  for (;;) {
    const port = await bound(0, addresses[0] ?? "127.0.0.1")
    const others = await Promise.all(addresses.slice(1).map((address) => bound(port, address)))
    if (others.every((other) => other === port)) return port
  }
}

/** Binds a port (0 = any) and lets it go: the port, or 0 when it is taken. */
const bound = (port: number, address: string): Promise<number> =>
  new Promise((done) => {
    const server = createServer()
    server.on("error", () => done(0))
    server.listen(port, address, () => {
      const at = server.address()
      server.close(() => done(typeof at === "object" && at !== null ? at.port : 0))
    })
  })
