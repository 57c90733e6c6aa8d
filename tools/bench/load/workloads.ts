/**
 * The workloads: what the load client does, to which fixture, and what ours has to reach beside istiod. Names are those of
 * the earlier measurements of istiod alone; B has 100 services of 100 endpoints and a machine each, C one of 10,000.
 */
import { matchesGlob } from "node:path"
import type { FixtureName } from "../servers/fixtures.ts"
import type { FigureName } from "./client-report.ts"

/** A part of a workload: one run of the client on a server that goes on running. */
export interface Phase {
  /** before the names of its figures; empty for the only or the main one */
  readonly name: string
  /** flags of `xdsload run`, with spaces between them */
  readonly client: string
  /** what is reported of it, in this order; nothing of a phase that only warms the server up */
  readonly figures: ReadonlyArray<FigureName>
}

/** What ours must reach: at most so much of what a variant of istiod has. */
export interface Aim {
  readonly phase: string
  readonly figure: FigureName
  readonly atMost: number
  readonly variant: string
}

export interface Workload {
  readonly name: string
  readonly about: string
  readonly fixture: FixtureName
  /** environments of istiod, by the name of the variant */
  readonly istiod: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly phases: ReadonlyArray<Phase>
  readonly aims: ReadonlyArray<Aim>
  readonly tls?: boolean
  /** objects that are there while it runs */
  readonly objects?: ReadonlyArray<object>
}

// Variants of istiod. Without the limit of requests a second it refuses nobody, and has no advantage from slowness.
const unlimited = { PILOT_MAX_REQUESTS_PER_SECOND: "100000" }
const noEdsDebounce = { PILOT_ENABLE_EDS_DEBOUNCE: "false" }
const noDebounce = { ...noEdsDebounce, PILOT_DEBOUNCE_AFTER: "1ms" }

const pushFigures = [
  "latency from request, p50",
  "latency from request, p99",
  "latency from answer, p50",
  "latency from answer, p99",
  "server CPU per change",
  "responses",
  "bytes pushed",
  "peak memory"
] as const
const fanOutFigures = [
  "latency from request, p50",
  "latency from request, p99",
  "last stream, p50",
  "last stream, max",
  "server CPU per change",
  "client CPU per change",
  "bytes pushed",
  "all streams complete",
  "CPU to connect",
  "peak memory"
] as const
const connectFigures = ["all streams complete", "CPU to connect", "bytes to connect", "peak memory"] as const

const aim = (figure: FigureName, atMost: number, variant: string, phase = ""): Aim => ({
  phase,
  figure,
  atMost,
  variant
})
const only = (figures: ReadonlyArray<FigureName>, client: string): ReadonlyArray<Phase> => [
  { name: "", client, figures }
]

const oneStream = "--services 1 --mutate-count 50 --mutate-rate 3 --hold 1s --expect-endpoints 101"
const big = "--prefix big --services 1 --mutate-count 20 --mutate-rate 1 --hold 1s --expect-endpoints 10000"

/** One change to 1,000 streams: first with code that was never run, then as after an hour. */
const c1000 = (flags = ""): ReadonlyArray<Phase> => {
  const client = `--streams 1000 --services 1 --hold 2s --expect-endpoints 101 ${flags}`
  return [
    { name: "", client: `${client} --mutate-count 10 --mutate-rate 1`, figures: fanOutFigures },
    {
      name: "warm",
      client: `${client} --mutate-count 60 --mutate-rate 5`,
      figures: ["last stream, p50", "last stream, max", "server CPU per change"]
    }
  ]
}

/** 100 streams with 20 of 100 clusters each, and 20 s of changes. */
const churn = (perSecond: number, flags = ""): ReadonlyArray<Phase> => {
  const streams = "--streams 100 --services 100 --per-stream 20 --hold 2s --expect-endpoints 101"
  return only(pushFigures, `${streams} --mutate-count ${perSecond * 20} --mutate-rate ${perSecond} ${flags}`)
}
const churnVariants = { default: unlimited, "EDS debounce off": { ...unlimited, ...noEdsDebounce } }

const storm = "--streams 500 --services 100 --expect-endpoints 101"

// Priorities of endpoints then depend on where the proxy is, so that proxies of three zones have three views.
const failover = {
  apiVersion: "networking.istio.io/v1",
  kind: "DestinationRule",
  metadata: { name: "by-locality", namespace: "bench" },
  spec: {
    host: "*.bench.svc.cluster.local",
    trafficPolicy: { outlierDetection: { consecutive5xxErrors: 5 } }
  }
}
const metadataOf = (network: string): string =>
  JSON.stringify({
    CLUSTER_ID: "Kubernetes",
    NAMESPACE: "bench",
    ISTIO_VERSION: "1.32.0",
    LABELS: { app: "load" },
    SERVICE_ACCOUNT: "default",
    NETWORK: network
  })

interface Variation {
  readonly name: string
  readonly about: string
  readonly flags: string
  readonly tls?: boolean
  readonly objects?: ReadonlyArray<object>
}
const variations: ReadonlyArray<Variation> = [
  { name: "tls", about: "TLS with client certificates", flags: "", tls: true },
  { name: "delta", about: "delta ADS", flags: "--delta" },
  {
    name: "views",
    about: "proxies of 3 zones and networks, priorities by locality",
    flags: `--zones 3 ${["", "east", "west"].map((network) => `--meta ${metadataOf(network)}`).join(" ")}`,
    objects: [failover]
  },
  { name: "window", about: "client windows of 64 kB", flags: "--window 65535" }
]

const varied = variations.flatMap(({ flags, name, ...variation }): ReadonlyArray<Workload> => [
  {
    ...variation,
    name: `c1000-${name}`,
    about: `c1000-nodebounce with ${variation.about}`,
    fixture: "B",
    istiod: { "no debounce": { ...unlimited, ...noDebounce } },
    phases: c1000(flags),
    aims: [
      aim("last stream, p50", 0.7, "no debounce"),
      aim("peak memory", 0.7, "no debounce"),
      aim("server CPU per change", 0.7, "no debounce", "warm")
    ]
  },
  {
    ...variation,
    name: `d50-${name}`,
    about: `d50 with ${variation.about}`,
    fixture: "B",
    istiod: churnVariants,
    phases: churn(50, flags),
    aims: [
      aim("latency from request, p50", 0.7, "default"),
      aim("server CPU per change", 0.7, "EDS debounce off")
    ]
  }
])

/** All workloads, in the order in which they are run. */
export const workloads: ReadonlyArray<Workload> = [
  {
    name: "b-default",
    about: "one change in a quiet mesh, 1 stream, each with its defaults",
    fixture: "B",
    istiod: { default: {} },
    phases: only(pushFigures, oneStream),
    aims: [aim("latency from answer, p50", 0.03, "default")]
  },
  {
    name: "b-nodebounce",
    about: "one change in a quiet mesh, 1 stream, istiod without debounce",
    fixture: "B",
    istiod: { "no debounce": noDebounce },
    phases: only(pushFigures, oneStream),
    aims: [
      aim("latency from request, p50", 0.9, "no debounce"),
      aim("server CPU per change", 0.6, "no debounce")
    ]
  },
  {
    name: "c1000-nodebounce",
    about: "one change to 1,000 streams (101 endpoints, 15 kB), istiod without debounce",
    fixture: "B",
    istiod: { "no debounce": { ...unlimited, ...noDebounce } },
    phases: c1000(),
    aims: [
      aim("last stream, p50", 0.75, "no debounce"),
      aim("peak memory", 0.5, "no debounce"),
      aim("server CPU per change", 0.4, "no debounce", "warm")
    ]
  },
  ...[20, 50].map((perSecond): Workload => ({
    name: `d${perSecond}`,
    about: `${perSecond} changes/s, 100 streams × 20 clusters`,
    fixture: "B",
    istiod: churnVariants,
    phases: churn(perSecond),
    aims: [
      aim("latency from request, p50", 0.005, "default"),
      aim("server CPU per change", 0.4, "EDS debounce off")
    ]
  })),
  {
    name: "d200",
    about: "200 changes/s, 100 streams × 20 clusters; the API server takes most of the machine",
    fixture: "B",
    istiod: churnVariants,
    phases: churn(200),
    aims: [aim("latency from request, p50", 0.05, "default"), aim("server CPU per change", 0.5, "default")]
  },
  {
    name: "e",
    about: "500 streams connect at once, 100 clusters each, to a server that was just started",
    fixture: "B",
    istiod: { unlimited },
    phases: only(connectFigures, storm),
    aims: [
      aim("all streams complete", 0.07, "unlimited"),
      aim("CPU to connect", 0.03, "unlimited"),
      aim("peak memory", 0.2, "unlimited")
    ]
  },
  {
    name: "e-warm",
    about: "the same after a push of every service, which fills istiod's cache",
    fixture: "B",
    istiod: { unlimited },
    phases: [
      {
        name: "warm-up",
        client: "--services 100 --mutate-count 100 --mutate-rate 50 --expect-endpoints 101",
        figures: []
      },
      { name: "", client: storm, figures: connectFigures }
    ],
    aims: [aim("all streams complete", 0.8, "unlimited"), aim("CPU to connect", 0.4, "unlimited")]
  },
  ...varied,
  {
    name: "f-nodebounce",
    about: "one change in a service of 10,000 endpoints, 1 stream, istiod without debounce",
    fixture: "C",
    istiod: { "no debounce": noDebounce },
    phases: only(pushFigures, big),
    aims: [
      aim("latency from request, p50", 0.12, "no debounce"),
      aim("server CPU per change", 0.06, "no debounce")
    ]
  },
  {
    name: "f-nodebounce-100",
    about: "the same with 100 streams",
    fixture: "C",
    istiod: { "no debounce": { ...unlimited, ...noDebounce } },
    phases: only(fanOutFigures, `--streams 100 ${big}`),
    aims: [
      aim("latency from request, p50", 0.03, "no debounce"),
      aim("server CPU per change", 0.03, "no debounce"),
      aim("peak memory", 0.1, "no debounce")
    ]
  }
]

/** Workloads by names, which may be globs (`d*`); all without names. Fails when a name is of none. */
export const selectWorkloads = (names: ReadonlyArray<string>): ReadonlyArray<Workload> => {
  const known = workloads.map(({ name }) => name)
  const unknown = names.filter((pattern) => !known.some((name) => matchesGlob(name, pattern)))
  if (unknown.length > 0)
    throw new Error(`There is no workload ${unknown.join(", ")}; there is ${known.join(", ")}`)
  if (names.length === 0) return workloads
  return workloads.filter(({ name }) => names.some((pattern) => matchesGlob(name, pattern)))
}
