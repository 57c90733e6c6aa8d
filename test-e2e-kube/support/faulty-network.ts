import { readFileSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import type { KubeCluster } from "../../tools/kube-cluster/kube-cluster.ts"

/** A TCP proxy before an API server, with the faults that networks have. */
export interface FaultyNetwork extends AsyncDisposable {
  /** a kubeconfig that leads through it */
  readonly kubeconfig: string
  /** Resets every connection; new ones get through. */
  readonly reset: () => void
  /** Nothing gets through in either direction; connections stay open, as when a firewall forgets them. */
  readonly silence: () => void
  /** Every connection is reset, new ones are, too. */
  readonly refuse: () => void
  /** All is well again for new connections; silenced ones stay silent. */
  readonly heal: () => void
}

/** Starts the proxy; traffic gets through at first. */
export const startFaultyNetwork = async (cluster: KubeCluster): Promise<FaultyNetwork> => {
  const target = Number(new URL(cluster.server).port)
  const sockets = new Set<Socket>()
  let refuses = false
  let silent = false
  const server = createServer((outer) => {
    if (refuses) return void outer.resetAndDestroy()
    const inner = connect(target, "127.0.0.1")
    for (const [from, to] of [
      [outer, inner],
      [inner, outer]
    ] as const) {
      sockets.add(from)
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      if (!silent) from.pipe(to)
    }
    return undefined
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const kubeconfig = join(cluster.folder, `kubeconfig-faulty-${port}`)
  const text = readFileSync(cluster.kubeconfig, "utf8")
  writeFileSync(kubeconfig, text.replaceAll(cluster.server, `https://127.0.0.1:${port}`))
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    kubeconfig,
    reset,
    silence: () => {
      silent = true
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    refuse: () => {
      refuses = true
      reset()
    },
    heal: () => {
      refuses = false
      silent = false
    },
    [Symbol.asyncDispose]: async () => {
      reset()
      await new Promise((done) => server.close(done))
    }
  }
}
