import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pod, service, slice } from "../testing/manifests.ts"
import { runCli } from "../testing/run-cli.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const multiCluster = (kind: string, name: string, spec: object = {}) => ({
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  kind,
  metadata: { name, namespace: "shop" },
  spec
})

/** A cart that both clusters have and import, and `east` exports; an unexported `bank`, in both as well. */
const twoClusters = Effect.map(temporaryFolder, (folder) => {
  const write = (name: string, ...objects: ReadonlyArray<object>): string => {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))
    return file
  }
  const members = (cluster: 1 | 2) =>
    ["cart", "bank"].flatMap((name, i) => {
      const address = `10.${cluster}.0.${i + 1}`
      return [
        service(name, { clusterIP: `10.96.${cluster}.${i + 1}` }),
        slice(name, address),
        pod(`${name}-1`, address),
        multiCluster("ServiceImport", name, { ips: [`10.112.${cluster}.${i + 1}`] })
      ]
    })
  const home = write("home", ...members(1), pod("client-1", "10.1.0.9"))
  const east = write("east", ...members(2), multiCluster("ServiceExport", "cart"))
  return ["--manifests", home, "--cluster", `east=${east}`]
})

const flags = ["--mcs-service-discovery", "--mcs-host", "--mcs-cluster-local"]

describe("Multi-Cluster Services", () => {
  it.live("exported services have their endpoints of all clusters under clusterset.local alone", () =>
    Effect.gen(function* () {
      const files = yield* twoClusters
      const { out } = yield* runCli("render", "--proxy", "client-1.shop", "-o", "json", ...files, ...flags)
      const view: { readonly eds: Readonly<Record<string, unknown>> } = JSON.parse(out)
      const sent = Object.fromEntries(
        Object.entries(view.eds).map(([name, eds]) => [
          name.replace(/^outbound\|80\|\|/, ""),
          JSON.stringify(eds).match(/10\.\d\.0\.\d/g) ?? []
        ])
      )
      assert.deepEqual(sent, {
        "bank.shop.svc.cluster.local": ["10.1.0.2"],
        "bank.shop.svc.clusterset.local": ["10.1.0.2"],
        "cart.shop.svc.cluster.local": ["10.1.0.1"],
        "cart.shop.svc.clusterset.local": ["10.1.0.1", "10.2.0.1"]
      })
    })
  )

  it.live("is switched on by Istio's variables, too, and off again by a flag", () =>
    Effect.gen(function* () {
      const files = yield* twoClusters
      const env = { ENABLE_MCS_SERVICE_DISCOVERY: "true", ENABLE_MCS_HOST: "1" }
      const hosts = (...args: ReadonlyArray<string>) =>
        Effect.map(
          Effect.provide(
            runCli("services", ...files, ...args),
            ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
          ),
          ({ out }) => out.match(/^cart\S+/gm)
        )
      assert.deepEqual(yield* hosts(), ["cart.shop.svc.cluster.local", "cart.shop.svc.clusterset.local"])
      assert.deepEqual(yield* hosts("--no-mcs-host"), ["cart.shop.svc.cluster.local"])
    })
  )

  it.live("says what keeps an endpoint at home", () =>
    Effect.gen(function* () {
      const files = yield* twoClusters
      const { out } = yield* runCli("render", "--proxy", "client-1.shop", ...files, ...flags)
      assert.match(out, /not sent: 10\.2\.0\.2:8080 .* is in cluster "east"/)
    })
  )
})
