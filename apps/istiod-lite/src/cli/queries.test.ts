import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { examples, runCli, shop } from "../testing/run-cli.ts"

const onShop = (...args: ReadonlyArray<string>) => runCli(...args, "--manifests", shop)
const lines = (text: string): ReadonlyArray<string> => text.split("\n")

describe("services", () => {
  it.live("shows ports, and automatic addresses as such", () =>
    Effect.gen(function* () {
      const { code, out } = yield* onShop("services")
      assert.strictEqual(code, 0)
      assert.lengthOf(lines(out), 16)
      assert.match(
        out,
        /^catalog\.shop\.svc\.cluster\.local +shop +Kubernetes +80 HTTP, 9090 GRPC +10\.96\.10\.2$/m
      )
      assert.match(out, /^erp\.example\.internal +legacy +External +80 HTTP +240\.240\.\d+\.\d+ \*$/m)
      for (const line of lines(out)) assert.isAtMost(line.length, 100)
    })
  )

  it.live("prints the conformance form as JSON and YAML", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("services", "-o", "json")
      const services: ReadonlyArray<{ readonly hostname: string; readonly k8sType?: string }> =
        JSON.parse(out)
      assert.strictEqual(services.find(({ hostname }) => hostname.startsWith("cart."))?.k8sType, "ClusterIP")
      const yaml = yield* onShop("services", "-o", "yaml")
      assert.match(yaml.out, /^ {2}hostname: cart\.shop\.svc\.cluster\.local$/m)
    })
  )

  it.live("gives addresses in the mode that is asked for", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("services", "--address-mode", "status")
      assert.match(out, /^erp\.example\.internal .* none$/m)
    })
  )
})

describe("endpoints", () => {
  it.live("shows health, locality and workload of each", () =>
    Effect.gen(function* () {
      const { code, out } = yield* onShop("endpoints", "cart.shop")
      assert.strictEqual(code, 0)
      assert.deepEqual(
        lines(out).map((line) => line.trim().split(/\s+/)),
        [
          ["shop/cart.shop.svc.cluster.local:", "3", "endpoints"],
          ["ADDRESS", "PORT", "HEALTH", "LOCALITY", "WEIGHT", "WORKLOAD", "CLUSTER"],
          [
            "10.8.2.11:8080",
            "http",
            "HEALTHY",
            "eu-west-1/eu-west-1a",
            "1",
            "cart-84f6d7c5b-2m6xq",
            "Kubernetes"
          ],
          [
            "10.8.4.11:8080",
            "http",
            "HEALTHY",
            "eu-west-1/eu-west-1b",
            "1",
            "cart-84f6d7c5b-8nv4j",
            "Kubernetes"
          ],
          [
            "10.8.5.13:8080",
            "http",
            "DRAINING",
            "eu-west-1/eu-west-1c",
            "1",
            "cart-84f6d7c5b-wd7hs",
            "Kubernetes"
          ]
        ]
      )
    })
  )

  it.live("finds pods and machines behind one Service", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("endpoints", "inventory")
      assert.match(out, /^legacy\/inventory\.legacy\.svc\.cluster\.local: 3 endpoints$/m)
      assert.match(out, /10\.20\.0\.11:9080 .* 2 +inventory-vm-1/)
    })
  )

  it.live("shows the endpoints of one port", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("endpoints", "catalog.shop.svc.cluster.local:9090")
      assert.match(out, /: 3 endpoints$/m)
      assert.notMatch(out, /:8080/)
    })
  )

  it.live("ends with 1 and says what there is, for an unknown host and an unknown port", () =>
    Effect.gen(function* () {
      const host = yield* onShop("endpoints", "basket.shop")
      assert.strictEqual(host.code, 1)
      assert.match(host.err, /No service is called basket\.shop\. `istiod-lite services` lists all/)
      const port = yield* onShop("endpoints", "cart.shop:81")
      assert.strictEqual(port.code, 1)
      assert.match(port.err, /has no port 81; it has 80\./)
    })
  )
})

describe("render", () => {
  it.live("shows a pod's own view: near endpoints first, and what it is not sent and why", () =>
    Effect.gen(function* () {
      const { code, out } = yield* onShop("render", "--proxy", "frontend-6d5f7b9c8-b4x2m.shop")
      assert.strictEqual(code, 0)
      assert.match(out, /locality eu-west-1\/eu-west-1a, serves frontend\.shop\.svc\.cluster\.local:80/)
      assert.match(out, /^outbound\|9090\|\|recommendations.*\n.*\n {2}10\.8\.2\.12:9090 +HEALTHY +0 /m)
      assert.match(out, /not sent: 10\.8\.5\.12:8080 .* is not in subset v1: label version is "v2"/)
    })
  )

  it.live("shows the view of a proxy that a file describes", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("render", "--proxy", join(examples, "proxies/edge.yaml"), "-o", "json")
      const view: { readonly proxy: string; readonly eds: object } = JSON.parse(out)
      assert.strictEqual(view.proxy, "sidecar~10.20.0.31~edge.shop~shop.svc.cluster.local")
      assert.property(view.eds, "outbound|80||erp.example.internal")
    })
  )

  it.live("hides what is private to another namespace", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("render", "--proxy", "erp-vm-large.legacy")
      assert.notMatch(out, /payments|rates\.bank/)
      assert.match(out, /cart\.shop\.svc/)
    })
  )

  it.live("names the field that a description has wrong, and who is not there", () =>
    Effect.gen(function* () {
      const file = yield* onShop("render", "--proxy", join(shop, "erp.yaml"))
      assert.strictEqual(file.code, 2)
      assert.match(file.err, /Cannot read the proxy in .*erp\.yaml/)
      assert.notMatch(file.err, /\n {4}at /)
      const name = yield* onShop("render", "--proxy", "nobody.shop")
      assert.strictEqual(name.code, 1)
      assert.match(name.err, /No connected proxy and no workload is called nobody\.shop/)
    })
  )
})

describe("a query about faulty files", () => {
  it.live("is answered from what is good, and says where to learn of the rest", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* runCli(
        "services",
        "--manifests",
        join(shop, "erp.yaml"),
        "--manifests",
        "gone"
      )
      assert.strictEqual(code, 0)
      assert.match(out, /^erp\.example\.internal /m)
      assert.match(err, /^istiod-lite: gone: .*no such file/i)
    })
  )
})

describe("clusters and proxies", () => {
  it.live("counts the objects of each cluster", () =>
    Effect.gen(function* () {
      const { out } = yield* onShop("clusters", "--cluster", `east=${join(examples, "proxies")}`)
      assert.match(
        out,
        /^Kubernetes +configuration +synced +3 Namespace, 5 Node, 20 Pod, 8 Service, 8 EndpointSlice, 4 ServiceEntry, 3 WorkloadEntry, 1 DestinationRule, 1 PeerAuthentication$/m
      )
      assert.match(out, /^east +remote +synced/m)
    })
  )

  it.live("refuses to look for proxies in files", () =>
    Effect.gen(function* () {
      const { code, err } = yield* onShop("proxies")
      assert.strictEqual(code, 2)
      assert.match(err, /ask a running control plane/)
    })
  )
})
