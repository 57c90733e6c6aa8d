import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientOfSecret } from "./secret-client.ts"

const kubeconfigOf = (user: object): string =>
  JSON.stringify({
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server: "https://192.0.2.10:6443" } }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }]
  })

const connect = (user: object, ...allowed: ReadonlyArray<string>) =>
  clientOfSecret(new Set(allowed))({
    cluster: "west",
    secret: "remote-west",
    kubeconfig: kubeconfigOf(user)
  })

/** A program that would leave a trace, were it run. */
const exec = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "touch",
  args: ["here"],
  interactiveMode: "Never"
}
const unsafe = {
  exec: { exec },
  tokenFile: { tokenFile: "/etc/hostname" },
  clientCertificate: { "client-certificate": "/etc/hostname" },
  clientKey: { "client-key": "/etc/hostname" }
}

describe("clientOfSecret", () => {
  it.effect("takes tokens and certificates that are in the secret itself", () =>
    Effect.gen(function* () {
      const data = Buffer.from("data").toString("base64")
      for (const user of [
        { token: "a-token" },
        { "client-certificate-data": data, "client-key-data": data },
        { username: "someone", password: "something" }
      ]) {
        assert.strictEqual((yield* connect(user)).server, "https://192.0.2.10:6443")
      }
    })
  )

  for (const [name, user] of Object.entries(unsafe)) {
    it.effect(`refuses ${name}, unless it is allowed`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(connect(user))
        assert.strictEqual(
          error.message,
          `Cannot use the kubeconfig in secret remote-west: ${name} would run programs or read files here. ` +
            "Use a token or certificate data, or allow it (allow-in-secrets)."
        )
        assert.strictEqual((yield* connect(user, name)).server, "https://192.0.2.10:6443")
      })
    )
  }
})
