/**
 * What the self-audit costs a server with 1,000 services of 10 pods and 100 proxies that ask for all of them.
 * `npm run bench -- audit`.
 */
import { Context, Effect, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { audit } from "../../../apps/istiod-lite/src/audit/audit.ts"
import { freshGenerator, makeRunning } from "../../../apps/istiod-lite/src/audit/rebuild.ts"
import { Rotation } from "../../../apps/istiod-lite/src/audit/rotation.ts"
import { controlPlane } from "../../../apps/istiod-lite/src/compose/plugins.ts"
import { auditedStream } from "../../../apps/istiod-lite/src/testing/audited-streams.ts"
import { layerControlPlane, MemorySource } from "../../../packages/testkit/mod.ts"
import type { Figure } from "../figure.ts"

const services = 1000
const podsEach = 10
const proxies = 100
const namespaces = 20
const namesEach = 25
const runs = 40

const namespaceOf = (i: number): string => `team-${i % namespaces}`
const nameOf = (i: number): string => `outbound|80||service-${i}.${namespaceOf(i)}.svc.cluster.local`
const addressOf = (i: number, j: number): string => {
  const number = i * podsEach + j
  return `10.${20 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
}
const metadata = (i: number, name: string, labels = {}) => ({
  name,
  namespace: namespaceOf(i),
  labels,
  creationTimestamp: "2026-02-01T06:00:00Z"
})
const perPod = <A>(make: (j: number) => A): ReadonlyArray<A> =>
  Array.from({ length: podsEach }, (_, j) => make(j))

const objectsOf = (i: number): ReadonlyArray<unknown> => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(i, `service-${i}`),
    spec: {
      clusterIP: `10.96.${i >> 8}.${i & 255}`,
      selector: { app: `service-${i}` },
      ports: [{ name: "http", port: 80, targetPort: 8080 }]
    }
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: metadata(i, `service-${i}-1`, { "kubernetes.io/service-name": `service-${i}` }),
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: perPod((j) => ({
      addresses: [addressOf(i, j)],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: "Pod", name: `service-${i}-${j}`, namespace: namespaceOf(i) }
    }))
  },
  ...perPod((j) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata(i, `service-${i}-${j}`, { app: `service-${i}` }),
    spec: { nodeName: `node-${j}`, serviceAccountName: "default" },
    status: {
      phase: "Running",
      podIP: addressOf(i, j),
      podIPs: [{ ip: addressOf(i, j) }],
      conditions: [{ type: "Ready", status: "True" }]
    }
  }))
]

/** The cost of one piece of work: CPU time, and the longest time that nothing else had its turn. */
const costOf = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const before = process.cpuUsage()
    yield* work
    const { system, user } = process.cpuUsage(before)
    // The histogram learns of a stall when its own timer has its turn.
    yield* Effect.sleep("5 millis")
    delay.disable()
    return { cpu: (system + user) / 1000, stall: delay.max / 1e6 }
  })

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const most = (values: ReadonlyArray<number>): number => Math.max(...values)

/** Figures of an audit that finds nothing, as nearly all do, and of one that has to make everything anew. */
export const selfAudit = (): Promise<ReadonlyArray<Figure>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(layerControlPlane())
        const source = Context.get(context, MemorySource)
        source.transaction(() => {
          for (let i = 0; i < services; i++)
            for (const object of objectsOf(i)) source.apply("Kubernetes", object)
        })
        const running = yield* Effect.provide(makeRunning(controlPlane()), context)
        if (running === undefined) return []
        const generator = yield* freshGenerator(running, context)
        const names = Array.from({ length: services }, (_, i) => nameOf(i))
        const streams = Array.from({ length: proxies }, (_, i) =>
          auditedStream(`service-${i}-0.${namespaceOf(i)}`, names, generator)
        )
        const connections = () => streams.map(({ info }) => info())
        const rotation = new Rotation()
        const all = new Set(names)
        const take = () => rotation.take(namesEach, () => all)

        const clean = []
        for (let run = 0; run < runs; run++) clean.push(yield* costOf(audit(running, take(), connections)))
        // The first runs are compiled while they run; a server has its first after a minute.
        const warm = clean.slice(runs / 4)

        const forgotten = auditedStream(`service-0-0.${namespaceOf(0)}`, names, {
          ...generator,
          generate: () => []
        })
        const suspicious = yield* costOf(audit(running, take(), () => [forgotten.info()]))
        return [
          { name: "one audit", value: median(warm.map(({ cpu }) => cpu)), unit: "ms CPU" },
          { name: "longest stall of one audit", value: median(warm.map(({ stall }) => stall)), unit: "ms" },
          { name: "longest stall of all audits", value: most(warm.map(({ stall }) => stall)), unit: "ms" },
          { name: "the first audit", value: clean[0]?.cpu ?? Number.NaN, unit: "ms CPU" },
          { name: "an audit that suspects, everything anew", value: suspicious.cpu, unit: "ms CPU" },
          { name: "longest stall of it", value: suspicious.stall, unit: "ms" }
        ]
      })
    )
  )
