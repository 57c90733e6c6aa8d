import { assert, describe, it } from "@effect/vitest"
import type { MutualTlsMode, PeerAuthentication } from "@istiod-lite/model"
import { objectMeta, peerAuthentication } from "@istiod-lite/model/testing"
import { effectiveMutualTls, gatherPolicies } from "./peer-authentication.ts"

const policy = (mtls: MutualTlsMode, fields: Partial<PeerAuthentication> = {}): PeerAuthentication =>
  peerAuthentication({ mtls, ...fields })

const at = (creationTime: string, name = "a") => objectMeta({ creationTime, name })
const older = at("2026-01-01T00:00:00Z", "z")
const newer = at("2026-02-01T00:00:00Z")

const two = (selector: PeerAuthentication["selector"]): ReadonlyArray<PeerAuthentication> => [
  policy("STRICT", { meta: newer, selector }),
  policy("DISABLE", { meta: older, selector })
]

const app = { app: "cart" }

const mode = (
  root: ReadonlyArray<PeerAuthentication>,
  own: ReadonlyArray<PeerAuthentication> | undefined,
  port = 8080
): MutualTlsMode => effectiveMutualTls(gatherPolicies(root), own && gatherPolicies(own), app, port)

describe("effectiveMutualTls", () => {
  it("is PERMISSIVE where nothing is said", () => {
    assert.strictEqual(effectiveMutualTls(undefined, undefined, app, 80), "PERMISSIVE")
    assert.strictEqual(mode([policy("UNSET")], [policy("UNSET")]), "PERMISSIVE")
  })

  it("goes from the workload to its namespace to the mesh", () => {
    const mesh = [policy("STRICT")]
    assert.strictEqual(mode(mesh, undefined), "STRICT")
    assert.strictEqual(mode(mesh, [policy("UNSET")]), "STRICT")
    assert.strictEqual(mode(mesh, [policy("DISABLE")]), "DISABLE")
    assert.strictEqual(mode(mesh, [policy("DISABLE"), policy("PERMISSIVE", { selector: app })]), "PERMISSIVE")
    assert.strictEqual(mode(mesh, [policy("DISABLE"), policy("UNSET", { selector: app })]), "DISABLE")
    assert.strictEqual(mode(mesh, [policy("DISABLE", { selector: { app: "other" } })]), "STRICT")
  })

  it("looks at the port first, which inherits when it is unset", () => {
    const ports = policy("STRICT", { selector: app, portLevelMtls: { 8080: "DISABLE", 9090: "UNSET" } })
    assert.strictEqual(mode([], [ports]), "DISABLE")
    assert.strictEqual(mode([], [ports], 9090), "STRICT")
    assert.strictEqual(mode([], [ports], 7070), "STRICT")
  })

  it("ignores ports of a policy for the whole namespace", () => {
    for (const selector of [undefined, {}]) {
      assert.strictEqual(
        mode([], [policy("STRICT", { portLevelMtls: { 8080: "DISABLE" }, selector })]),
        "STRICT"
      )
    }
  })

  it("ignores policies of the root namespace that select workloads", () => {
    const selecting = policy("STRICT", { selector: app, portLevelMtls: { 8080: "DISABLE" } })
    assert.strictEqual(mode([selecting], undefined), "PERMISSIVE")
  })

  it("takes the oldest of several", () => {
    assert.strictEqual(mode([], two(undefined)), "DISABLE")
    assert.strictEqual(mode([], two(app)), "DISABLE")
    assert.strictEqual(mode(two(undefined), undefined), "DISABLE")
  })
})
