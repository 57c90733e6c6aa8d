import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { certificates } from "../packages/xds-server/src/testing/certificates.ts"
import { eventually } from "../test-e2e/support/eventually.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { runCommand } from "../tools/run-command.ts"
import { namespace, service } from "./support/objects.ts"
import { startReplicaAt } from "./support/replicas.ts"

const launcher = join(import.meta.dirname, "../apps/istiod-lite/bin/istiod-lite.cjs")

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const services = (kubeconfig: string) =>
  runCommand(process.execPath, [launcher, "services", "--kubeconfig", kubeconfig, "--cluster-timeout", "2"])

const assertServed = async (kubeconfig: string): Promise<void> => {
  const { code, output } = await services(kubeconfig)
  assert.strictEqual(code, 0, output)
  assert.include(output, "web.shop.svc.cluster.local")
}

/** An HTTP proxy that tunnels, and keeps what it was asked for. */
const startProxy = async () => {
  const asked: Array<string> = []
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on("connect", ({ url = "" }, outer: Socket) => {
    asked.push(url)
    const [host, port] = url.split(":")
    const inner = connect(Number(port), host, () =>
      outer.write("HTTP/1.1 200 Connection established\r\n\r\n")
    )
    for (const [from, to] of [
      [outer, inner],
      [inner, outer]
    ] as const) {
      sockets.add(from)
      from.on("error", () => to.destroy()).pipe(to)
    }
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    }
  }
}

describe("an API server that knows its users by certificates", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster({ clientCa: certificates.ca }))
    await cluster.apply(namespace("shop"), namespace("istio-system"), service("web", 8080), {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "client" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "client" }]
    })
  })
  afterAll(() => resources.disposeAsync())

  it("is read by a certificate in the kubeconfig", () =>
    assertServed(
      cluster.kubeconfigOf("data", {
        "client-certificate-data": base64(certificates.client.cert),
        "client-key-data": base64(certificates.client.key)
      })
    ))

  it("is read by a certificate in files, relative to the kubeconfig", async () => {
    writeFileSync(join(cluster.folder, "client.crt"), certificates.client.cert)
    writeFileSync(join(cluster.folder, "client.key"), certificates.client.key)
    await assertServed(
      cluster.kubeconfigOf("files", { "client-certificate": "client.crt", "client-key": "client.key" })
    )
  })

  it("is read through the kubeconfig's proxy, by nothing but the proxy", async () => {
    await using proxy = await startProxy()
    const user = {
      "client-certificate-data": base64(certificates.client.cert),
      "client-key-data": base64(certificates.client.key)
    }
    await assertServed(cluster.kubeconfigOf("proxied", user, { "proxy-url": proxy.url }))
    assert.deepEqual([...new Set(proxy.asked)], [new URL(cluster.server).host])
  })

  it("refuses a certificate of somebody else: the command says so and fails", async () => {
    const { code, output } = await services(
      cluster.kubeconfigOf("stranger", {
        "client-certificate-data": base64(certificates.stranger.cert),
        "client-key-data": base64(certificates.stranger.key)
      })
    )
    assert.notStrictEqual(code, 0)
    assert.include(output, "Unauthorized")
  })

  it("is followed on by a certificate that replaces one which is no longer let in", async () => {
    const [cert, key] = [join(cluster.folder, "rotated.crt"), join(cluster.folder, "rotated.key")]
    writeFileSync(cert, certificates.client.cert)
    writeFileSync(key, certificates.client.key)
    const kubeconfig = cluster.kubeconfigOf("rotated", { "client-certificate": cert, "client-key": key })
    await using replica = await startReplicaAt(kubeconfig, "rotated")
    writeFileSync(cert, certificates.stranger.cert)
    writeFileSync(key, certificates.stranger.key)
    await cluster.killApiServer()
    await cluster.startApiServer()
    await eventually(
      "the replica says that it is not let in",
      async () => replica.output(),
      (output) => output.includes("Unauthorized")
    )
    writeFileSync(cert, certificates.client.cert)
    writeFileSync(key, certificates.client.key)
    await cluster.apply(service("late", 8080))
    await eventually(
      "the replica knows the new Service",
      async () => (await fetch(`${replica.admin}/api/v1/services`)).text(),
      (text) => text.includes("late.shop.svc.cluster.local")
    )
  })
})
