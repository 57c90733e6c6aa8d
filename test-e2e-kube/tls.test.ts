import * as grpc from "@grpc/grpc-js"
import { X509Certificate } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { certificates } from "../packages/xds-server/src/testing/certificates.ts"
import { eventually } from "../test-e2e/support/eventually.ts"
import { freePort } from "../test-e2e/support/ports.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { type EnvoyMachine, startEnvoyMachine } from "./support/envoy-machine.ts"
import { connectMachine, type Machine, type MachineOptions } from "./support/machine.ts"
import { namespace, serviceAccount, serviceEntry, workloadGroup } from "./support/objects.ts"
import { type Replica, startReplica } from "./support/replicas.ts"

const billing = "outbound|80||billing.shop.internal"
const ca = Buffer.from(certificates.ca)

interface Pair {
  readonly cert: string
  readonly key: string
}

const proving = ({ cert, key }: Pair): grpc.ChannelCredentials =>
  grpc.credentials.createSsl(ca, Buffer.from(key), Buffer.from(cert))
const serialOf = ({ cert }: Pair): string => new X509Certificate(cert).serialNumber

const endOf = (vm: Machine) =>
  eventually(
    "the stream is refused",
    async () => vm.end(),
    (end) => end !== undefined
  )

/** The serial number of the certificate that a port shows to a new connection. */
const serialShownOn = (port: number): Promise<string | undefined> =>
  new Promise((done, fail) => {
    const options = { host: "127.0.0.1", servername: "localhost", port, ca, ALPNProtocols: ["h2"] }
    const socket = connectTls(options, () => {
      done(socket.getPeerX509Certificate()?.serialNumber)
      socket.destroy()
    })
    socket.on("error", fail)
  })

// One story: each test goes on where the one before stopped.
describe("a port with TLS", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster
  let replica: Replica
  let tlsPort: number
  let client: Machine
  let envoy: EnvoyMachine

  const write = (name: string, text: string): string => {
    const folder = join(cluster.folder, "tls")
    mkdirSync(folder, { recursive: true })
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
    await cluster.apply(namespace("shop"), namespace("istio-system"))
    await cluster.apply(
      serviceEntry("billing.shop.internal", "billing"),
      workloadGroup("billing", 8080),
      serviceAccount("billing-vm")
    )
    tlsPort = await freePort()
    const files = [
      ["--tls-port", String(tlsPort)],
      ["--tls-cert", write("tls.crt", certificates.server.cert)],
      ["--tls-key", write("tls.key", certificates.server.key)],
      ["--tls-client-ca", write("ca.crt", certificates.ca)]
    ]
    replica = resources.use(await startReplica(cluster, "replica-a", "--grace-period", "1", ...files.flat()))
    client = resources.use(connectMachine({ port: replica.xdsPort, address: "192.0.2.99" }))
    client.ask(billing)
    await client.until(billing, [])
  })
  afterAll(() => resources.disposeAsync())

  const machine = (address: string, how: Partial<MachineOptions>): Machine => {
    const vm = resources.use(connectMachine({ port: tlsPort, address, group: "billing", ...how }))
    vm.ask(billing)
    return vm
  }

  it("Envoy proves by a certificate whose machine it is, and registers it", async () => {
    envoy = await startEnvoyMachine(cluster.folder, tlsPort, {
      ca: write("ca.crt", certificates.ca),
      cert: write("client.crt", certificates.client.cert),
      key: write("client.key", certificates.client.key)
    })
    resources.defer(() => void envoy.terminate())
    await client.until(billing, ["192.0.2.101:8080"])
    await eventually("Envoy has it, too", envoy.clusters, (text) => text.includes("::192.0.2.101:8080::"))
  })

  it("a client without certificate proves it by a token", async () => {
    const token = await cluster.token("shop", "billing-vm", "istio-ca")
    const vm = machine("192.0.2.102", { credentials: grpc.credentials.createSsl(ca), token })
    await client.until(billing, ["192.0.2.101:8080", "192.0.2.102:8080"])
    vm.close()
    await client.until(billing, ["192.0.2.101:8080"])
  })

  it("a certificate of another issuer, or no proof at all, registers nothing", async () => {
    for (const credentials of [proving(certificates.stranger), grpc.credentials.createSsl(ca)]) {
      const end = await endOf(machine("192.0.2.103", { credentials }))
      assert.strictEqual(end?.code, grpc.status.PERMISSION_DENIED)
      assert.match(end?.details ?? "", /needs an identity/)
    }
  })

  it("a token for another audience is refused", async () => {
    const token = await cluster.token("shop", "billing-vm", "somebody-else")
    const end = await endOf(machine("192.0.2.103", { credentials: grpc.credentials.createSsl(ca), token }))
    assert.strictEqual(end?.code, grpc.status.PERMISSION_DENIED)
    assert.match(end?.details ?? "", /token is not valid/)
    assert.match(await replica.query("vm", "list"), /sidecar~192\.0\.2\.103~\S+ .* its token is not valid/)
    assert.notInclude(replica.output(), token.slice(0, 40))
  })

  it("a certificate that is put in the place of the old one is shown to who comes, and ends no stream", async () => {
    assert.strictEqual(await serialShownOn(tlsPort), serialOf(certificates.server))
    write("tls.crt", certificates.server2.cert)
    write("tls.key", certificates.server2.key)
    await eventually(
      "the new one is shown",
      () => serialShownOn(tlsPort),
      (serial) => serial === serialOf(certificates.server2)
    )
    const vm = machine("192.0.2.104", { credentials: proving(certificates.client) })
    await client.until(billing, ["192.0.2.101:8080", "192.0.2.104:8080"])
    vm.close()
    await client.until(billing, ["192.0.2.101:8080"])
    assert.isFalse(client.wasEmptied(billing))
  })

  it("an Envoy that ends is gone after the grace period", async () => {
    await envoy.terminate()
    await client.until(billing, [])
  })
})
