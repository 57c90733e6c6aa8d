import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unsafeSettings } from "./cluster-secrets.ts"
import { loadKubeConfig } from "./load-kube-config.ts"

const good = {
  "current-context": "test",
  clusters: [{ name: "test", cluster: { server: "https://192.0.2.10:6443" } }],
  users: [{ name: "test", user: { token: "secret-token" } }],
  contexts: [{ name: "test", context: { cluster: "test", user: "test" } }]
}

const load = (text: string) =>
  loadKubeConfig({ from: "text", text, subject: "the kubeconfig in secret west" })

/** What is said of a kubeconfig with other fields. */
const faultOf = (fields: object) =>
  Effect.map(Effect.flip(load(JSON.stringify({ ...good, ...fields }))), String)

describe("loadKubeConfig", () => {
  it.effect("reads a good one", () =>
    Effect.gen(function* () {
      const { config } = yield* load(JSON.stringify(good))
      assert.strictEqual(config.getCurrentCluster()?.server, "https://192.0.2.10:6443")
    })
  )

  it.effect("names what is missing", () =>
    Effect.gen(function* () {
      assert.include(
        yield* faultOf({ "current-context": "" }),
        "current-context is not set. Its contexts: test."
      )
      assert.include(
        yield* faultOf({ "current-context": "other" }),
        "context other is not in it. Its contexts: test."
      )
      assert.include(yield* faultOf({ clusters: [] }), "cluster test of context test is not in it")
      assert.include(yield* faultOf({ users: [] }), "user test of context test is not in it")
      const noUrl = yield* faultOf({ clusters: [{ name: "test", cluster: { server: "192.0.2.10" } }] })
      assert.include(noUrl, "clusters[test].cluster.server is no URL: 192.0.2.10. Write https://HOST:PORT.")
    })
  )

  it.effect("says what is no kubeconfig at all, and never shows what is in it", () =>
    Effect.gen(function* () {
      const message = String(yield* Effect.flip(load("token: [secret-token\n")))
      assert.include(message, "the kubeconfig in secret west: it is no YAML")
      assert.include(message, "line 2")
      assert.notInclude(message, "secret-token")
    })
  )

  it.effect("reads no files for a kubeconfig that came from somewhere else", () =>
    Effect.gen(function* () {
      const users = [{ name: "test", user: { "token-file": "/etc/hostname" } }]
      const { config } = yield* load(JSON.stringify({ ...good, users }))
      assert.isUndefined(config.getCurrentUser()?.token)
      const named = [{ name: "test", user: { tokenFile: "/etc/hostname" } }]
      const other = yield* load(JSON.stringify({ ...good, users: named }))
      assert.deepEqual(unsafeSettings(other.config), ["tokenFile"])
    })
  )

  it.effect("names a file that is not there, and a context that it lacks", () =>
    Effect.gen(function* () {
      const message = String(yield* Effect.flip(loadKubeConfig({ from: "file", file: "nowhere/kubeconfig" })))
      assert.include(message, "kubeconfig nowhere/kubeconfig")
      assert.include(message, "ENOENT")
    })
  )

  it.effect("says that there is no service account outside of a pod", () =>
    Effect.gen(function* () {
      const message = String(yield* Effect.flip(loadKubeConfig({ from: "pod" })))
      assert.include(message, "Run in a pod with a service account")
    })
  )
})
