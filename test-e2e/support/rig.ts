import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startBackends } from "./backends.ts"
import { type ControlPlane, startControlPlane } from "./control-plane.ts"
import { type Envoy, startEnvoy } from "./envoy.ts"
import type { EnvoyOptions } from "./envoy-bootstrap.ts"
import { addresses, clusterOf, hosts, writeMesh } from "./mesh.ts"
import { freePort } from "./ports.ts"
import { requester, type Requester } from "./requests.ts"

/** Backends, a control plane that serves the mesh of mesh.ts, and an Envoy in front. */
export interface Rig extends AsyncDisposable {
  /** The folder that the control plane watches. */
  readonly manifests: string
  /** The port of every backend. */
  readonly port: number
  readonly controlPlane: ControlPlane
  readonly envoy: Envoy
  readonly requests: Requester
  /** Starts the control plane again, on the same ports; the rig ends it. */
  readonly restart: () => Promise<ControlPlane>
}

/** Starts everything; disposing ends it in reverse order and removes its files. */
export const startRig = async (
  envoyPath: string,
  client: Pick<EnvoyOptions, "nodeId" | "xds">
): Promise<Rig> => {
  await using resources = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "istiod-lite-e2e-"))
  resources.defer(() => rmSync(folder, { recursive: true }))
  const manifests = join(folder, "manifests")
  mkdirSync(manifests)
  const port = await freePort(Object.values(addresses))
  resources.use(await startBackends(Object.values(addresses), port))
  writeMesh(manifests, port)
  const [xdsPort, controlAdmin, adminPort, listenPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort()
  ]
  const serve = async (): Promise<ControlPlane> => {
    const started = await startControlPlane(manifests, xdsPort, controlAdmin)
    owned.defer(async () => void (await started.terminate()))
    return started
  }
  const owned = resources.use(new AsyncDisposableStack())
  const controlPlane = await serve()
  const routes = Object.fromEntries(Object.values(hosts).map((host) => [host, clusterOf(host)]))
  const options = { ...client, xdsPort, adminPort, listenPort, routes }
  const envoy = resources.use(await startEnvoy(envoyPath, folder, options))
  const requests = resources.use(requester(listenPort))
  const all = resources.move()
  return {
    manifests,
    port,
    controlPlane,
    envoy,
    requests,
    restart: serve,
    [Symbol.asyncDispose]: () => all.disposeAsync()
  }
}
