/** Envoy on a machine, with the configuration of examples/kind/envoy.yaml changed to prove itself by a certificate. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Child, startChild, untilReady } from "../../test-e2e/support/child.ts"
import { freePort } from "../../test-e2e/support/ports.ts"
import { ensureProgram } from "../../tools/programs/program.ts"

/** Paths of PEM files. */
export interface ClientFiles {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** A running Envoy. */
export interface EnvoyMachine {
  readonly terminate: Child["terminate"]
  /** What it knows of its clusters, and of their endpoints, as text. */
  readonly clusters: () => Promise<string>
}

const example = join(import.meta.dirname, "../../examples/kind/envoy.yaml")

const transportSocket = ({ ca, cert, key }: ClientFiles): string => `
      transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
          common_tls_context:
            tls_certificates:
              - certificate_chain: { filename: ${cert} }
                private_key: { filename: ${key} }
            validation_context:
              trusted_ca: { filename: ${ca} }`

/** Starts it against the port with TLS of a control plane; its configuration is written into `folder`. */
export const startEnvoyMachine = async (
  folder: string,
  tlsPort: number,
  files: ClientFiles
): Promise<EnvoyMachine> => {
  const [listener, admin] = [await freePort(), await freePort()]
  const text = readFileSync(example, "utf8")
    .replace(/ {8}initial_metadata:\n.*\n.*TOKEN\n/, "")
    .replace("address: 192.0.2.10, port_value: 30010", `address: 127.0.0.1, port_value: ${tlsPort}`)
    .replace("    - name: istiod-lite\n", (name) => `${name.trimEnd()}${transportSocket(files)}\n`)
    .replace("port_value: 9080", `port_value: ${listener}`)
    .replace("port_value: 15000", `port_value: ${admin}`)
  const config = join(folder, "envoy-tls.yaml")
  writeFileSync(config, text)
  const args = ["-c", config, "--use-dynamic-base-id", "-l", "warn"]
  const envoy = startChild(await ensureProgram("envoy"), args)
  await untilReady("Envoy", envoy, `http://127.0.0.1:${admin}/ready`)
  return {
    terminate: envoy.terminate,
    clusters: async () => (await fetch(`http://127.0.0.1:${admin}/clusters`)).text()
  }
}
