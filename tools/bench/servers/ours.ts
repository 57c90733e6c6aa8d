import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { freePorts } from "../../kube-cluster/free-ports.ts"
import { runCommand } from "../../run-command.ts"
import { checkout } from "../results-file.ts"
import { type ControlPlane, launch } from "./control-plane.ts"

const launcherName = "istiod-lite.sh"

/**
 * The launcher of the bundle at a path: a bundle, as it is, or a checkout, whose bundle is built now, as images run it.
 * Fails when there is neither, or the build fails.
 */
export const launcherAt = async (path: string): Promise<string> => {
  const folder = resolve(path)
  const ready = join(folder, launcherName)
  if (existsSync(ready)) return ready
  if (!existsSync(join(folder, "apps/istiod-lite")))
    throw new Error(`Cannot run ${path}: it is neither a bundle (with ${launcherName}) nor a checkout`)
  process.stderr.write(`bench: building the bundle of ${folder}\n`)
  const built = await runCommand("npm", ["--prefix", folder, "run", "-s", "build"])
  const launcher = join(folder, "apps/istiod-lite/dist/bundle", launcherName)
  if (built.code !== 0 || !existsSync(launcher))
    throw new Error(`Cannot build the bundle of ${path}: ${built.output}`)
  return launcher
}

/** Ours, from a launcher. */
export const controlPlaneAt = (name: string, launcher: string): ControlPlane => ({
  name,
  start: async ({ env, folder, kubeconfig, tls }) => {
    const [xds = 0, admin = 0, secure = 0] = await freePorts(3)
    const files =
      tls === undefined
        ? []
        : ["--tls-port", `${secure}`, "--tls-cert", tls.cert, "--tls-key", tls.key, "--tls-client-ca", tls.ca]
    const ports = ["--xds-port", `${xds}`, "--admin-port", `${admin}`]
    return launch(
      {
        name,
        command: "sh",
        args: [launcher, "serve", "--kubeconfig", kubeconfig, ...ports, ...files],
        env: { POD_NAME: `bench-${xds}`, ISTIOD_LITE_NODE: process.execPath, ...env },
        address: `127.0.0.1:${tls === undefined ? xds : secure}`,
        ready: `http://127.0.0.1:${admin}/ready`
      },
      folder
    )
  }
})

/** Ours, as this checkout has it. */
export const ours = async (): Promise<ControlPlane> => controlPlaneAt("ours", await launcherAt(checkout))
