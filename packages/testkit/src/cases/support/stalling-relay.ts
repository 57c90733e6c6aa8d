import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** A network between client and server that can stop to carry anything, without telling either. */
export interface StallingRelay {
  /** where clients connect instead of the server's own port */
  readonly port: number
  /** From now on nothing gets through, and no connection ends. */
  readonly stall: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

/** A relay to a port of this machine that lives as long as the scope. */
export const makeStallingRelay = (target: number): Effect.Effect<StallingRelay, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pairs = new Set<readonly [Socket, Socket]>()
    const server = createServer((client) => {
      const upstream = connect(target, "127.0.0.1")
      const pair = [client, upstream] as const
      pairs.add(pair)
      for (const socket of pair) {
        // What ends one side ends the other, as without a relay; errors end it too.
        socket.on("error", () => {})
        socket.on("close", () => {
          pairs.delete(pair)
          for (const one of pair) one.destroy()
        })
      }
      carry(pair)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const pair of pairs) for (const socket of pair) socket.destroy()
        })
    )
    const address = server.address()
    return {
      port: typeof address === "object" && address !== null ? address.port : 0,
      stall: Effect.sync(() => pairs.forEach(hold)),
      resume: Effect.sync(() => pairs.forEach(carry))
    }
  })

const carry = ([client, upstream]: readonly [Socket, Socket]): void => {
  client.pipe(upstream)
  upstream.pipe(client)
}

const hold = (pair: readonly [Socket, Socket]): void => {
  for (const socket of pair) {
    socket.unpipe()
    socket.pause()
  }
}
