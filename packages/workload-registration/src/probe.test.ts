import { assert, describe, it } from "@effect/vitest"
import { afterProbe, noProbes, type ProbeState, readProbe } from "./probe.ts"

describe("readProbe", () => {
  it("reads what WorkloadGroup's probe says, with Kubernetes' defaults", () => {
    assert.deepStrictEqual(readProbe(`{"tcpSocket":{"port":5432}}`), {
      target: { kind: "tcp", port: 5432 },
      initialDelay: 0,
      timeout: 1000,
      period: 10_000,
      successThreshold: 1,
      failureThreshold: 3
    })
    const all = {
      httpGet: {
        path: "/ready",
        port: 8443,
        scheme: "HTTPS",
        host: "health.internal",
        httpHeaders: [{ name: "X-Probe", value: "yes" }]
      },
      initialDelaySeconds: 2,
      timeoutSeconds: 3,
      periodSeconds: 4,
      successThreshold: 5,
      failureThreshold: 6
    }
    assert.deepStrictEqual(readProbe(JSON.stringify(all)), {
      target: {
        kind: "http",
        path: "/ready",
        port: 8443,
        https: true,
        host: "health.internal",
        headers: { "X-Probe": "yes" }
      },
      initialDelay: 2000,
      timeout: 3000,
      period: 4000,
      successThreshold: 5,
      failureThreshold: 6
    })
  })

  it("says what is wrong", () => {
    for (const [annotation, reason] of [
      ["{", "it is no JSON"],
      ["7", "it is no JSON object"],
      [`{"exec":{"command":["true"]}}`, "it has none of httpGet, tcpSocket and grpc"],
      [`{"httpGet":{"port":0}}`, "httpGet.port is no port number"],
      [`{"grpc":{"port":70000}}`, "grpc.port is no port number"],
      [`{"grpc":{"port":1,"service":"${"s".repeat(200)}"}}`, "grpc.service is longer than 127 bytes"]
    ] as const) {
      assert.strictEqual(readProbe(annotation), reason)
    }
  })
})

describe("afterProbe", () => {
  const probe = { successThreshold: 2, failureThreshold: 3 }
  const after = (...results: ReadonlyArray<boolean>): ProbeState["healthy"] =>
    results.reduce((state, isSuccess) => afterProbe(state, isSuccess, probe), noProbes).healthy

  it("turns at the thresholds, of probes in a row", () => {
    assert.isUndefined(after(false, false))
    assert.isFalse(after(false, false, false))
    assert.isTrue(after(true), "the first success counts at once")
    assert.isTrue(after(true, false, false, true, false, false))
    assert.isFalse(after(true, false, false, false, true))
    assert.isTrue(after(true, false, false, false, true, true))
  })
})
