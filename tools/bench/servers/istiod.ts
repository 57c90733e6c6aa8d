import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePorts } from "../../kube-cluster/free-ports.ts"
import { ensureProgram } from "../../programs/program.ts"
import { type ControlPlane, launch, type StartOptions } from "./control-plane.ts"

/** Outside a pod: no certificates of its own, no webhooks, no injection; discovery is as it comes. */
const environment = {
  POD_NAME: "istiod-0",
  POD_NAMESPACE: "istio-system",
  REVISION: "default",
  CLUSTER_ID: "Kubernetes",
  PILOT_CERT_PROVIDER: "none",
  ENABLE_CA_SERVER: "false",
  VALIDATION_WEBHOOK_CONFIG_NAME: "",
  INJECTION_WEBHOOK_CONFIG_NAME: "",
  INJECT_ENABLED: "false",
  XDS_AUTH: "false",
  PILOT_ENABLE_STATUS: "false"
}

const start = async ({ env, folder, kubeconfig, tls }: StartOptions) => {
  const command = await ensureProgram("istiod")
  const [grpc = 0, secure = 0, http = 0, monitoring = 0] = await freePorts(4)
  const mesh = join(folder, "mesh.yaml")
  writeFileSync(mesh, 'accessLogFile: ""\ndefaultConfig:\n  discoveryAddress: 127.0.0.1:15012\n')
  const secureAddress = tls === undefined ? "" : `127.0.0.1:${secure}`
  const files =
    tls === undefined
      ? []
      : [`--tlsCertFile=${tls.cert}`, `--tlsKeyFile=${tls.key}`, `--caCertFile=${tls.ca}`]
  const args = [
    "discovery",
    `--kubeconfig=${kubeconfig}`,
    `--meshConfig=${mesh}`,
    `--networksConfig=${join(folder, "none.yaml")}`,
    "--namespace=istio-system",
    `--httpAddr=127.0.0.1:${http}`,
    "--httpsAddr=",
    `--grpcAddr=127.0.0.1:${grpc}`,
    `--secureGRPCAddr=${secureAddress}`,
    `--monitoringAddr=127.0.0.1:${monitoring}`,
    "--ctrlz_port=0",
    "--kubernetesApiQPS=400",
    "--kubernetesApiBurst=800",
    ...files
  ]
  return launch(
    {
      name: "istiod",
      command,
      args,
      env: { ...environment, ...env },
      address: tls === undefined ? `127.0.0.1:${grpc}` : secureAddress,
      ready: `http://127.0.0.1:${http}/ready`
    },
    folder
  )
}

/** The real istiod, pinned in tools/programs, with its defaults but for what `env` of a start says. */
export const istiod: ControlPlane = { name: "istiod", start }
