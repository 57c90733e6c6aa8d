import { assert, describe, it } from "@effect/vitest"
import { mergePushRequests, type PushRequest } from "@istiod-lite/model"
import * as fc from "fast-check"
import { splitRequest } from "./split-request.ts"
import { anyRequest } from "./testing/any-request.ts"

const request = (parts: Partial<PushRequest>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(),
  proxies: new Set(),
  reasons: new Map(),
  since: 7,
  ...parts
})

describe("splitRequest", () => {
  it("lets a request without removals wait as it is", () => {
    const whole = request({ endpoints: new Set(["a"]) })
    assert.deepStrictEqual(splitRequest(whole, "removals"), { ahead: undefined, rest: whole })
  })

  it("lets removals go ahead with their own subjects alone", () => {
    const { ahead, rest } = splitRequest(
      request({
        full: true,
        services: new Set(["a", "b"]),
        endpoints: new Set(["b", "c", "d"]),
        removals: new Set(["b", "c"]),
        proxies: new Set(["p"])
      }),
      "removals"
    )
    assert.deepStrictEqual(
      ahead,
      request({ services: new Set(["b"]), endpoints: new Set(["b", "c"]), removals: new Set(["b", "c"]) })
    )
    assert.deepStrictEqual(
      rest,
      request({
        full: true,
        services: new Set(["a"]),
        endpoints: new Set(["d"]),
        removals: new Set(),
        proxies: new Set(["p"])
      })
    )
  })

  it("lets all changes of endpoints go ahead where they do not wait", () => {
    const { ahead, rest } = splitRequest(
      request({ services: new Set(["a"]), endpoints: new Set(["b"]) }),
      "endpoints"
    )
    assert.deepStrictEqual(ahead?.endpoints, new Set(["b"]))
    assert.deepStrictEqual(ahead?.services, new Set())
    assert.deepStrictEqual(rest?.services, new Set(["a"]))
  })

  it("loses nothing and invents nothing", () => {
    fc.assert(
      fc.property(anyRequest, fc.constantFrom("removals" as const, "endpoints" as const), (whole, goes) => {
        const { ahead, rest } = splitRequest(whole, goes)
        assert.isTrue(ahead !== undefined || rest !== undefined)
        const both =
          ahead === undefined || rest === undefined ? (ahead ?? rest!) : mergePushRequests(ahead, rest)
        assert.deepStrictEqual(mergePushRequests(both, whole), { ...both, reasons: double(whole.reasons) })
        assert.deepStrictEqual(both.reasons, whole.reasons)
        assert.deepStrictEqual([...both.endpoints].toSorted(), [...whole.endpoints].toSorted())
        assert.deepStrictEqual([...both.services].toSorted(), [...whole.services].toSorted())
      })
    )
  })
})

const double = (reasons: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...reasons].map(([reason, count]) => [reason, 2 * count]))
