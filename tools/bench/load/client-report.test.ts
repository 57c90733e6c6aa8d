import { assert, describe, it } from "@effect/vitest"
import { readClientRun } from "./client-report.ts"

const times = { n: 10, min: 1, p50: 2.5, p90: 3, p99: 4, max: 5, mean: 2 }

/** What the client prints when 10 changes went well. */
const report = {
  addr: "127.0.0.1:1",
  connect: {
    all_full: true,
    missing: 0,
    first_response_ms: times,
    full_snapshot_ms: { ...times, max: 50 },
    bytes: 3_000_000,
    server_cpu_s: 0.5
  },
  mutate: {
    changes: 10,
    errors: null,
    stale_at_end: 0,
    unseen: 0,
    latency_from_request_ms: times,
    latency_from_response_ms: { ...times, p50: -0.5 },
    last_stream_ms: { ...times, p50: 9, max: 12 },
    eds_responses: 40,
    bytes: 2_000_000,
    server_cpu_s: 0.33,
    client_cpu_s: 0.4
  },
  wrong_endpoint_counts: 0,
  stream_errors: 0,
  stream_errors_sample: null,
  server: { rss_mib: 100, peak_rss_mib: 200, cpu_s_total: 3 }
}
const printed = (changed: object = {}): string => JSON.stringify({ ...report, ...changed }, undefined, 1)

describe("readClientRun", () => {
  it("reads figures in their units", () => {
    assert.deepStrictEqual(readClientRun(0, printed()), {
      failures: [],
      figures: {
        "latency from request, p50": 2.5,
        "latency from request, p99": 4,
        "latency from answer, p50": -0.5,
        "latency from answer, p99": 4,
        "last stream, p50": 9,
        "last stream, max": 12,
        "server CPU per change": 33,
        "client CPU per change": 40,
        responses: 40,
        "bytes pushed": 2,
        "all streams complete": 50,
        "CPU to connect": 0.5,
        "bytes to connect": 3,
        "peak memory": 200
      }
    })
  })

  it("reads a run that only connects", () => {
    const { figures, failures } = readClientRun(0, printed({ mutate: undefined }))
    assert.deepStrictEqual(failures, [])
    assert.deepStrictEqual(Object.keys(figures), [
      "all streams complete",
      "CPU to connect",
      "bytes to connect",
      "peak memory"
    ])
  })

  it.each<readonly [string, object]>([
    ["3 clusters stale at the end", { mutate: { ...report.mutate, stale_at_end: 3 } }],
    ["2 changes never seen", { mutate: { ...report.mutate, unseen: 2 } }],
    ["1 changes refused by the API server (409)", { mutate: { ...report.mutate, errors: ["409"] } }],
    ["4 clusters with a wrong number of endpoints", { wrong_endpoint_counts: 4 }],
    ["5 stream errors (EOF)", { stream_errors: 5, stream_errors_sample: ["EOF"] }],
    ["6 streams without a complete snapshot", { connect: { ...report.connect, missing: 6 } }]
  ])("says that a run does not count: %s", (failure, changed) => {
    assert.deepStrictEqual(readClientRun(3, printed(changed)).failures, [failure])
    // Even if the client took no offence.
    assert.deepStrictEqual(readClientRun(0, printed(changed)).failures, [failure])
  })

  it("says that a client which ended badly for a reason of its own does not count", () => {
    assert.deepStrictEqual(readClientRun(3, printed()).failures, ["the client ended with 3"])
    assert.deepStrictEqual(readClientRun(1, "xdsload: sizes out of bounds\n"), {
      figures: {},
      failures: ["the client ended with 1: xdsload: sizes out of bounds"]
    })
  })
})
