import { assert, describe, it } from "@effect/vitest"
import { mergePushRequests, type PushRequest } from "@istiod-lite/model"
import * as fc from "fast-check"
import { SubjectWindows } from "./subject-windows.ts"
import { anyRequest } from "./testing/any-request.ts"

const times = { quiet: 100, max: 10_000 }

const about = (endpoints: string, parts: Partial<PushRequest> = {}): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set([endpoints]),
  proxies: new Set(),
  reasons: new Map([["endpoint", 1]]),
  since: 0,
  ...parts
})

describe("SubjectWindows", () => {
  it("ends a service's window when it is quiet, whatever others do", () => {
    const windows = new SubjectWindows(times)
    windows.add(about("quiet", { since: 3 }), 10)
    for (let at = 0; at <= 150; at += 50) windows.add(about("noisy", { since: at }), at)
    assert.strictEqual(windows.endsAt(), 110)
    assert.isUndefined(windows.take(109))
    const taken = windows.take(110)
    assert.deepStrictEqual(taken?.endpoints, new Set(["quiet"]))
    assert.strictEqual(taken?.since, 3)
    assert.strictEqual(windows.endsAt(), 250)
  })

  it("ends the window of a service that never is quiet at its most, and begins another", () => {
    const windows = new SubjectWindows(times)
    for (let at = 0; at < 10_000; at += 50) windows.add(about("noisy"), at)
    assert.strictEqual(windows.endsAt(), 10_000)
    assert.isUndefined(windows.take(9999))
    assert.deepStrictEqual(windows.take(10_000)?.endpoints, new Set(["noisy"]))
    assert.isTrue(windows.isEmpty)
    windows.add(about("noisy"), 10_050)
    assert.strictEqual(windows.endsAt(), 10_150)
  })

  it("keeps a service's definition and its endpoints together", () => {
    const windows = new SubjectWindows(times)
    windows.add(about("a"), 0)
    windows.add(about("b", { services: new Set(["a"]) }), 50)
    const taken = windows.take(150)
    assert.deepStrictEqual(taken?.services, new Set(["a"]))
    assert.deepStrictEqual(taken?.endpoints, new Set(["a", "b"]))
    assert.deepStrictEqual(taken?.reasons, new Map([["endpoint", 2]]))
  })

  it("takes all that waits with a push of everything", () => {
    const windows = new SubjectWindows(times)
    windows.add(about("a", { full: true, since: 9 }), 0)
    windows.add(about("b", { since: 4, proxies: new Set(["10.0.0.1"]) }), 50)
    const taken = windows.take(100)
    assert.isTrue(taken?.full)
    assert.strictEqual(taken?.since, 4)
    assert.isTrue(windows.isEmpty)
  })

  it("gives all that was asked for, each in its time, and nothing else", () => {
    const gap = fc.constantFrom(0, 1, 60, 99, 100, 101, 3000)
    fc.assert(
      fc.property(fc.array(fc.record({ request: anyRequest, gap }), { minLength: 1 }), (history) => {
        const windows = new SubjectWindows(times)
        /** by service: when the oldest and the newest change came that has not been taken */
        const waits = new Map<string, readonly [first: number, last: number]>()
        let taken: PushRequest | undefined
        let at = 0
        const takeDue = (until: number): void => {
          for (let end = windows.endsAt(); end !== undefined && end <= until; end = windows.endsAt()) {
            const request = windows.take(end)!
            taken = taken === undefined ? request : mergePushRequests(taken, request)
            for (const name of new Set([...request.services, ...request.endpoints])) {
              const [first, last] = waits.get(name)!
              if (!request.full) assert.strictEqual(end, Math.min(last + times.quiet, first + times.max))
              waits.delete(name)
            }
            if (request.full) waits.clear()
            for (const [first, last] of waits.values()) {
              assert.isAbove(Math.min(last + times.quiet, first + times.max), end)
            }
          }
        }
        for (const { gap, request } of history) {
          takeDue(at + gap)
          at += gap
          windows.add(request, at)
          if (request.full) continue
          for (const name of new Set([...request.services, ...request.endpoints])) {
            waits.set(name, [waits.get(name)?.[0] ?? at, at])
          }
        }
        takeDue(Number.POSITIVE_INFINITY)
        assert.isTrue(windows.isEmpty)
        assert.strictEqual(waits.size, 0)
        const asked = history.map(({ request }) => request).reduce(mergePushRequests)
        assert.deepStrictEqual(taken?.reasons, asked.reasons)
        assert.strictEqual(taken?.full, asked.full)
        assert.strictEqual(taken?.since, asked.since)
        const isMissing = (name: string): boolean => !asked.full && !taken!.endpoints.has(name)
        assert.deepStrictEqual([...asked.endpoints].filter(isMissing), [])
        assert.deepStrictEqual(
          [...(taken?.proxies ?? [])].filter((name) => !asked.proxies.has(name)),
          []
        )
      })
    )
  })
})
