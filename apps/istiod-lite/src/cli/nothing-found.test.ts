import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { pod, service } from "../testing/manifests.ts"
import { runCli, shop } from "../testing/run-cli.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

/** Runs a query about these objects. */
const runOn = (objects: ReadonlyArray<unknown>, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const path = join(folder, "objects.json")
    writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))
    return yield* runCli(...args, "--manifests", path)
  }).pipe(Effect.scoped)

/** The address of a server that answers everything with this. */
const serverOf = (answer: unknown) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((_, response) => response.end(JSON.stringify(answer)))
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    })
  )

describe("nothing found", () => {
  it.live("says of a service without endpoints who can tell why", () =>
    Effect.gen(function* () {
      for (const port of ["", ":80"]) {
        const { code, err } = yield* runOn([service("web")], "endpoints", `web${port}`)
        assert.strictEqual(code, 1)
        assert.strictEqual(
          err,
          `istiod-lite: web.shop.svc.cluster.local${port} has no endpoints; why: istiod-lite explain service web${port}`
        )
      }
    })
  )

  it.live("counts objects that were ignored and faults", () =>
    Effect.gen(function* () {
      const objects = [
        { ...service("web"), apiVersion: "apps/v1", kind: "Deployment" },
        service("cart", { ports: [{ port: "eighty" }] })
      ]
      const { code, err } = yield* runOn(objects, "endpoints", "web")
      assert.strictEqual(code, 1)
      assert.match(
        err,
        /No service is called web\..* \(1 object ignored, 1 fault; see istiod-lite check .*objects\.json\)/
      )
    })
  )

  it.live("names a path that is not there", () =>
    Effect.gen(function* () {
      const { code, err } = yield* runCli("services", "--manifests", "gone")
      assert.strictEqual(code, 1)
      assert.match(err, /^istiod-lite: gone: .*no such file/i)
      assert.notMatch(err, /explained by/)
    })
  )

  it.live("says that no proxy is connected", () =>
    Effect.gen(function* () {
      const { code, err } = yield* runCli("proxies", "--server", yield* serverOf([]))
      assert.strictEqual(code, 1)
      assert.strictEqual(err, "istiod-lite: No proxy is connected.")
    }).pipe(Effect.scoped)
  )

  it.live("says that ports are numbers", () =>
    Effect.gen(function* () {
      for (const command of [["endpoints"], ["explain", "service"]]) {
        const { code, err } = yield* runCli(...command, "cart:http", "--manifests", shop)
        assert.strictEqual(code, 1)
        assert.match(err, /"http" is no port: ports are numbers, such as cart:80/)
      }
    })
  )
})

describe("render --proxy", () => {
  const unready = pod("web-1", "10.8.0.1", {}, { conditions: [{ type: "Ready", status: "False" }] })

  it.live("knows a pod that is not ready, as NAME.NAMESPACE and as NAMESPACE/NAME", () =>
    Effect.gen(function* () {
      for (const name of ["web-1.shop", "shop/web-1"]) {
        const { code, out } = yield* runOn([service("web"), unready], "render", "--proxy", name)
        assert.strictEqual(code, 0)
        assert.match(out, /^sidecar~10\.8\.0\.1~web-1\.shop~/)
      }
    })
  )
})

describe("help", () => {
  it.live("tells the defaults of serve's flags", () =>
    Effect.gen(function* () {
      const { out } = yield* runCli("serve", "--help")
      for (const value of ["15010", "15014", "127.0.0.1", "60", "Kubernetes", "stable"])
        assert.include(out.replace(/\s+/g, " "), `default ${value}`)
    })
  )
})
