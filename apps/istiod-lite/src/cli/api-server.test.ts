import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { serveApi } from "../testing/api-server.ts"
import { serviceEntry, workloadEntry } from "../testing/manifests.ts"
import { runCli } from "../testing/run-cli.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

/** A secret of the kind that `istioctl create-remote-secret` makes. */
const clusterSecret = (cluster: string, kubeconfig: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: cluster, namespace: "istio-system", labels: { "istio/multiCluster": "true" } },
  data: { [cluster]: Buffer.from(kubeconfig).toString("base64") }
})

describe("queries about an API server", () => {
  it.live("answer from its objects, once, and end", () =>
    Effect.gen(function* () {
      const { api, kubeconfig, server } = yield* serveApi
      const status = { addresses: [{ host: "erp.example", value: "240.240.0.7" }] }
      api.put({ ...serviceEntry("erp", "erp.example"), status })
      const services = yield* runCli("services", "--kubeconfig", kubeconfig)
      assert.match(
        services.out,
        /^cart\.shop\.svc\.cluster\.local +shop +Kubernetes +80 HTTP +10\.96\.0\.1$/m
      )
      // Addresses are those that somebody wrote, nobody computes others here.
      assert.match(services.out, /^erp\.example +shop +External +80 HTTP +240\.240\.0\.7 \*$/m)
      assert.strictEqual(services.err, "")
      const endpoints = yield* runCli("endpoints", "cart", "--kubeconfig", kubeconfig, "-o", "json")
      assert.include(endpoints.out, '"10.20.0.1"')
      assert.deepStrictEqual(new Set(server.received.map(({ method }) => method)), new Set(["GET"]))
    })
  )

  it.live("say which kinds may not be read, and which are not installed", () =>
    Effect.gen(function* () {
      const { api, kubeconfig } = yield* serveApi
      api.forbidden.add("nodes")
      api.absent.add("workloadgroups")
      const { code, out } = yield* runCli("clusters", "--kubeconfig", kubeconfig)
      assert.strictEqual(code, 0)
      assert.match(out, /^Kubernetes +configuration +synced +1 Pod, 1 Service, 1 EndpointSlice$/m)
      assert.match(out, /^Kubernetes: Cannot list nodes .*apiGroups: \[""\], resources: \["nodes"\]/m)
      assert.match(out, /^Kubernetes: not installed: WorkloadGroup$/m)
    })
  )

  it.live("go on without a cluster that does not answer, and say so (case 44)", () =>
    Effect.gen(function* () {
      const { api, kubeconfig, server } = yield* serveApi
      const nobody = server.kubeconfig().replace(server.url, "http://127.0.0.1:9")
      api.put(clusterSecret("west", nobody))
      const asked = ["--kubeconfig", kubeconfig, "--cluster-timeout", "1"]
      const clusters = yield* runCli("clusters", ...asked)
      assert.match(clusters.out, /^west +remote +timeout$/m)
      assert.match(clusters.out, /^west: Cannot list \w+ at http:\/\/127\.0\.0\.1:9: /m)
      const explained = yield* runCli("explain", "service", "cart", ...asked)
      assert.match(explained.out, /^Missing since .*: cluster west is not synced: Cannot list/m)
    })
  )

  it.live(
    "end with what keeps them from an answer",
    () =>
      Effect.gen(function* () {
        const { kubeconfig, server } = yield* serveApi
        yield* Effect.promise(() => server.stop())
        const { code, err } = yield* runCli("services", "--kubeconfig", kubeconfig, "--cluster-timeout", "1")
        yield* Effect.promise(() => server.start())
        assert.strictEqual(code, 1)
        assert.match(err, /^istiod-lite: Cannot read cluster Kubernetes.* within 2s\. .*ECONNREFUSED/m)
      }),
    20_000
  )

  it.live("take one source of objects, and a kubeconfig that can be used", () =>
    Effect.gen(function* () {
      const { kubeconfig } = yield* serveApi
      const two = yield* runCli("services", "--kubeconfig", kubeconfig, "--manifests", ".")
      assert.strictEqual(two.code, 2)
      assert.include(two.err, "one of them")
      const context = yield* runCli("services", "--kubeconfig", kubeconfig, "--context", "prod")
      assert.strictEqual(context.code, 1)
      assert.include(context.err, "context prod is not in it. Its contexts: test.")
      const broken = join(yield* temporaryFolder, "broken")
      writeFileSync(broken, "clusters: [")
      const unreadable = yield* runCli("services", "--kubeconfig", broken)
      assert.strictEqual(unreadable.code, 1)
      assert.include(unreadable.err, `Cannot use kubeconfig ${broken}`)
      const state = yield* runCli("services", "--kubeconfig", kubeconfig, "--address-state", "state.json")
      assert.strictEqual(state.code, 2)
      assert.include(state.err, "--address-state is for files")
    })
  )

  it.live("list machines by their entries", () =>
    Effect.gen(function* () {
      const { api, kubeconfig } = yield* serveApi
      const labels = { "istio.io/draining": "true" }
      api.put(workloadEntry("till-1", { address: "192.0.2.7" }, { labels }))
      const { out } = yield* runCli("vm", "list", "--kubeconfig", kubeconfig)
      assert.match(out, /^shop\/till-1 +192\.0\.2\.7 +hand +never connected +not checked +draining$/m)
    })
  )
})
