import { FakeApi, FakeApiServer } from "@istiod-lite/source-kube/testing"
import { Effect, type Scope } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pod, service, slice } from "./manifests.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** An API server for command lines. */
export interface ServedApi {
  readonly api: FakeApi
  readonly server: FakeApiServer
  /** a file that names it */
  readonly kubeconfig: string
}

/** An API server with a Service `shop/cart` of one endpoint, which stops with the scope. */
export const serveApi: Effect.Effect<ServedApi, never, Scope.Scope> = Effect.gen(function* () {
  const api = new FakeApi()
  for (const object of [service("cart"), slice("cart", "10.20.0.1"), pod("cart-1", "10.20.0.1")])
    api.put(object)
  const server = new FakeApiServer(api)
  yield* Effect.acquireRelease(
    Effect.promise(() => server.start()),
    () => Effect.promise(() => server.stop())
  )
  const kubeconfig = join(yield* temporaryFolder, "kubeconfig")
  writeFileSync(kubeconfig, server.kubeconfig())
  return { api, server, kubeconfig }
})
