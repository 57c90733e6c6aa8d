import { type ControlPlane, startServing } from "../../test-e2e/support/control-plane.ts"
import { freePort } from "../../test-e2e/support/ports.ts"
import type { KubeCluster } from "../../tools/kube-cluster/kube-cluster.ts"

/** One replica of the control plane, as a Deployment would run it. */
export interface Replica extends ControlPlane, AsyncDisposable {
  readonly name: string
  readonly xdsPort: number
  readonly admin: string
}

/** Starts a replica on an API server and waits until it is ready; the time that took is printed. */
export const startReplica = (
  cluster: KubeCluster,
  name: string,
  ...args: ReadonlyArray<string>
): Promise<Replica> => startReplicaAt(cluster.kubeconfig, name, ...args)

/** The same by another kubeconfig, such as one that leads through a network with faults. */
export const startReplicaAt = async (
  kubeconfig: string,
  name: string,
  ...args: ReadonlyArray<string>
): Promise<Replica> => {
  const [xdsPort, adminPort] = [await freePort(), await freePort()]
  const began = performance.now()
  const source = ["--kubeconfig", kubeconfig]
  const controlPlane = await startServing([...source, ...args], xdsPort, adminPort, { POD_NAME: name })
  console.info(`${name} is ready after ${(performance.now() - began).toFixed(0)} ms`)
  return {
    ...controlPlane,
    name,
    xdsPort,
    admin: `http://127.0.0.1:${adminPort}`,
    [Symbol.asyncDispose]: async () => void (await controlPlane.terminate())
  }
}
