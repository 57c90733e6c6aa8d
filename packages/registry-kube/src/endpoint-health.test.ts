import { assert, describe, it } from "@effect/vitest"
import { Label } from "@istiod-lite/model"
import { service, sliceEndpoint } from "@istiod-lite/model/testing"
import { endpointHealth } from "./endpoint-health.ts"

const plain = service()
const sticky = service({ labels: { [Label.persistentSessionCookie]: "session" } })
const stickyByHeader = service({ labels: { [Label.persistentSessionHeader]: "x-session" } })
const [yes, no, absent] = [true, false, undefined]

describe("endpointHealth (S-14, D-10)", () => {
  it.each([
    [plain, yes, yes, no, "HEALTHY"],
    [plain, absent, absent, absent, "HEALTHY"],
    [plain, yes, no, yes, "HEALTHY"],
    [plain, no, absent, absent, "TERMINATING"],
    [plain, no, yes, yes, "TERMINATING"],
    [plain, no, yes, no, "UNHEALTHY"],
    [plain, no, no, no, "UNHEALTHY"],
    [sticky, yes, yes, no, "HEALTHY"],
    [sticky, no, yes, yes, "DRAINING"],
    [sticky, no, absent, absent, "DRAINING"],
    [sticky, no, no, yes, "TERMINATING"],
    [sticky, no, yes, no, "UNHEALTHY"],
    [stickyByHeader, no, yes, yes, "DRAINING"]
  ] as const)(
    "%#: ready, serving, terminating as a slice says them",
    (of, ready, serving, terminating, expected) => {
      assert.strictEqual(endpointHealth(sliceEndpoint({ ready, serving, terminating }), of), expected)
    }
  )
})
