/**
 * A real kube-apiserver with a real etcd on loopback: no kubelet, no controllers. Objects are what tests and benchmarks
 * write; everything else about it is as in production: versions, watches, bookmarks, admission, RBAC, service accounts.
 */
import { spawn } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureProgram } from "../programs/program.ts"
import { freePorts } from "./free-ports.ts"
import { ServerProcess } from "./server-process.ts"

/** How a cluster is started. */
export interface KubeClusterOptions {
  /** ClusterIPs come from it, and have to; default 10.96.0.0/12 */
  readonly serviceCidr?: string
  /** whether Istio's CRDs are installed; default true */
  readonly crds?: boolean
  /** who issues certificates by which users prove who they are (PEM); default: nobody */
  readonly clientCa?: string
  /** rules of an audit policy; its log is `auditLog` */
  readonly auditPolicy?: object
}

/** An answer of the API server. */
export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

/** A running cluster. */
export interface KubeCluster extends AsyncDisposable {
  readonly folder: string
  /** path of a kubeconfig whose user may do everything */
  readonly kubeconfig: string
  /** https://127.0.0.1:PORT */
  readonly server: string
  readonly auditLog: string
  /** path of the certificates that the server's own is of */
  readonly certificate: string
  /** path of a kubeconfig with another token */
  readonly kubeconfigWith: (token: string) => string
  /** path of a kubeconfig with a user of another kind, and further fields of the cluster, such as its proxy */
  readonly kubeconfigOf: (name: string, user: object, cluster?: object) => string
  /** Runs kubectl; fails with what it printed. */
  readonly kubectl: (args: ReadonlyArray<string>, input?: string) => Promise<string>
  /** One request as the user who may do everything. */
  readonly api: (method: string, path: string, body?: unknown, contentType?: string) => Promise<ApiAnswer>
  /** Server-side apply of objects, by kubectl. */
  readonly apply: (...objects: ReadonlyArray<object>) => Promise<void>
  /** A token of a service account, for an audience. */
  readonly token: (namespace: string, serviceAccount: string, audience?: string) => Promise<string>
  /** Kills the API server without a word; etcd goes on. */
  readonly killApiServer: () => Promise<void>
  /** Starts the API server again, on the same port. */
  readonly startApiServer: () => Promise<void>
  /** Forgets all history, so that watches that want to resume are told 410. */
  readonly compact: () => Promise<void>
  readonly pids: () => { readonly apiServer: number; readonly etcd: number }
}

const adminToken = "admin-token"

/** Starts etcd and the API server in a new temporary folder; disposing ends them and removes it. */
export const startKubeCluster = async ({
  auditPolicy,
  clientCa,
  crds = true,
  serviceCidr = "10.96.0.0/12"
}: KubeClusterOptions = {}): Promise<KubeCluster> => {
  const [apiServerProgram, etcdProgram, crdFile] = await Promise.all([
    ensureProgram("kube-apiserver"),
    ensureProgram("etcd"),
    ensureProgram("istio-crds")
  ])
  await using resources = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "istiod-lite-kube-"))
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [apiPort = 0, etcdPort = 0, peerPort = 0] = await freePorts(3)
  const server = `https://127.0.0.1:${apiPort}`
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  const etcd = new ServerProcess(
    "etcd",
    etcdProgram,
    [
      "--name=test",
      `--data-dir=${join(folder, "etcd")}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=test=${peerUrl}`,
      "--quota-backend-bytes=4294967296"
    ],
    join(folder, "etcd.log")
  )
  resources.defer(() => etcd.end())

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const accountKey = file("sa.key", privateKey.export({ type: "pkcs8", format: "pem" }).toString())
  const tokens = file("tokens.csv", `${adminToken},admin,1,system:masters\n`)
  const certificates = join(folder, "pki")
  mkdirSync(certificates)
  const auditLog = join(folder, "audit.log")
  const audit =
    auditPolicy === undefined
      ? []
      : [
          `--audit-policy-file=${file("audit.json", JSON.stringify(auditPolicy))}`,
          `--audit-log-path=${auditLog}`
        ]
  const apiServerArguments = [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${apiPort}`,
    "--advertise-address=127.0.0.1",
    "--external-hostname=127.0.0.1",
    // It makes a certificate for itself.
    `--cert-dir=${certificates}`,
    `--token-auth-file=${tokens}`,
    "--authorization-mode=RBAC",
    "--anonymous-auth=false",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${accountKey}`,
    `--service-account-signing-key-file=${accountKey}`,
    `--service-cluster-ip-range=${serviceCidr}`,
    "--endpoint-reconciler-type=none",
    // There are no controllers that would give pods what these demand.
    "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,DefaultTolerationSeconds",
    "--enable-priority-and-fairness=false",
    "--max-requests-inflight=2000",
    "--max-mutating-requests-inflight=1000",
    "--event-ttl=5m",
    "--profiling=false",
    ...(clientCa === undefined ? [] : [`--client-ca-file=${file("client-ca.crt", clientCa)}`]),
    ...audit
  ]
  const certificate = join(certificates, "apiserver.crt")
  const kubeconfigOf: KubeCluster["kubeconfigOf"] = (name, user, cluster = {}) =>
    file(
      `kubeconfig-${name}`,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "test",
        clusters: [{ name: "test", cluster: { server, "certificate-authority": certificate, ...cluster } }],
        users: [{ name: "user", user }],
        contexts: [{ name: "test", context: { cluster: "test", user: "user" } }]
      })
    )
  const kubeconfigWith = (token: string): string => kubeconfigOf(token.slice(-8), { token })
  const kubeconfig = kubeconfigWith(adminToken)

  const api: KubeCluster["api"] = (method, path, body, contentType = "application/json") =>
    new Promise((done, fail) => {
      const headers = { authorization: `Bearer ${adminToken}`, "content-type": contentType }
      const options = { method, headers, rejectUnauthorized: false }
      const sent = request(new URL(path, server), options, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => (text += part))
        response.on("end", () => {
          const isJson = response.headers["content-type"]?.includes("json") ?? false
          done({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text })
        })
        response.on("error", fail)
      })
      sent.on("error", fail)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const isReady = async (): Promise<boolean> => (await api("GET", "/readyz")).status === 200
  const startApiServer = async (): Promise<ServerProcess> => {
    const started = new ServerProcess(
      "kube-apiserver",
      apiServerProgram,
      apiServerArguments,
      join(folder, "apiserver.log")
    )
    await started.untilReady(isReady)
    return started
  }
  let apiServer = await startApiServer()
  resources.defer(() => apiServer.end())

  const kubectl: KubeCluster["kubectl"] = (args, input) =>
    new Promise((done, fail) => {
      const env = { ...process.env, KUBECONFIG: kubeconfig }
      const child = spawn("kubectl", args, { env, stdio: ["pipe", "pipe", "pipe"] })
      let output = ""
      let errors = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
      child.on("error", (cause) => fail(new Error("Cannot run kubectl: it has to be on the PATH", { cause })))
      child.on("close", (code) => {
        if (code === 0) done(output)
        else fail(new Error(`kubectl ${args.join(" ")} ended with ${code}: ${errors}${output}`))
      })
      child.stdin.end(input)
    })
  if (crds) {
    await kubectl(["apply", "--server-side", "-f", crdFile])
    await kubectl(["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"])
  }
  const all = resources.move()
  return {
    folder,
    kubeconfig,
    server,
    auditLog,
    certificate,
    kubeconfigWith,
    kubeconfigOf,
    kubectl,
    api,
    apply: async (...objects) => {
      const list = { apiVersion: "v1", kind: "List", items: objects }
      await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], JSON.stringify(list))
    },
    token: async (namespace, serviceAccount, audience) => {
      const forAudience = audience === undefined ? [] : [`--audience=${audience}`]
      return (await kubectl(["create", "token", serviceAccount, "-n", namespace, ...forAudience])).trim()
    },
    killApiServer: () => apiServer.end("SIGKILL"),
    startApiServer: async () => {
      apiServer = await startApiServer()
    },
    compact: async () => {
      const status = (await post(`${etcdUrl}/v3/maintenance/status`, {})) as EtcdStatus
      await post(`${etcdUrl}/v3/kv/compaction`, { revision: status.header.revision, physical: true })
    },
    pids: () => ({ apiServer: apiServer.pid, etcd: etcd.pid }),
    [Symbol.asyncDispose]: () => all.disposeAsync()
  }
}

interface EtcdStatus {
  readonly header: { readonly revision: string }
}

/** One call of etcd's JSON gateway. */
const post = async (url: string, body: object): Promise<unknown> =>
  (await fetch(url, { method: "POST", body: JSON.stringify(body) })).json()
