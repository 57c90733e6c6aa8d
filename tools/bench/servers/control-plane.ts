import { join } from "node:path"
import { ServerProcess } from "../../kube-cluster/server-process.ts"

/** Files that are needed to serve over TLS. */
export interface TlsFiles {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Where and how a control plane is started. */
export interface StartOptions {
  readonly kubeconfig: string
  /** a folder for its files and its log */
  readonly folder: string
  /** laid over this process's environment */
  readonly env?: Readonly<Record<string, string>>
  readonly tls?: TlsFiles | undefined
}

/** A control plane that is ready. Disposing kills it: it is measured before that. */
export interface RunningControlPlane extends AsyncDisposable {
  readonly pid: number
  /** host:port of ADS: with TLS when it was started with files for it, else in plaintext */
  readonly address: string
  /** from the start of the process to the first good answer */
  readonly readyMs: number
  /** Ends it as an orchestrator would. */
  readonly terminate: () => Promise<void>
}

/** Something that serves ADS from an API server. */
export interface ControlPlane {
  readonly name: string
  readonly start: (options: StartOptions) => Promise<RunningControlPlane>
}

/** What a control plane is started with. */
export interface Launch {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly address: string
  /** answers 200 when it is ready */
  readonly ready: string
}

/** Starts a control plane and waits until it says that it is ready. */
export const launch = async (
  { address, args, command, env, name, ready }: Launch,
  folder: string
): Promise<RunningControlPlane> => {
  const began = performance.now()
  const server = new ServerProcess(name, command, args, join(folder, `${name}.log`), env)
  await server.untilReady(async () => (await fetch(ready)).ok, { everyMs: 5 })
  return {
    pid: server.pid,
    address,
    readyMs: performance.now() - began,
    terminate: () => server.end("SIGTERM"),
    [Symbol.asyncDispose]: () => server.end("SIGKILL")
  }
}
