/**
 * What the collections core costs. `node --expose-gc tools/bench/micro/collections.ts`; without `--expose-gc` the
 * memory figure is left out. Targets are the figures of the prototype.
 */
import { Graph } from "../../../packages/collections/mod.ts"
import type { Figure } from "../figure.ts"
import { microseconds } from "../microseconds.ts"

const oneKey = async (): Promise<ReadonlyArray<Figure>> => {
  const graph = new Graph()
  const source = graph.source<number>("source")
  const first = graph.map("first", source, (_, n) => n + 1)
  graph.map("second", first, (_, n) => n + 1)
  for (let n = 0; n < 1000; n++) source.set(`k${n}`, n)
  let n = 0
  const value = await microseconds(() => source.set("k7", ++n + 0.5))
  return [{ name: "one key through a source and 2 maps", value, unit: "µs", target: "4.9" }]
}

interface Pod {
  readonly ip: string
  readonly ready: boolean
}

/** 10,000 pods in 100 slices of 10 services: the shape of Kubernetes discovery. */
const onePod = async (): Promise<ReadonlyArray<Figure>> => {
  const graph = new Graph()
  const pods = graph.source<Pod>("pods")
  const slices = graph.source<{ readonly service: string; readonly pods: ReadonlyArray<string> }>("slices")
  const shards = graph.map(
    "shards",
    slices,
    (_, slice, read) => ({
      service: slice.service,
      ips: slice.pods.flatMap((name) => {
        const pod = read.get(pods, name)
        return pod?.ready === true ? [pod.ip] : []
      })
    }),
    { reads: [pods] }
  )
  const byService = graph.index("shards by service", shards, (shard) => [shard.service])
  graph.group("services", byService, (_, entries) =>
    entries.reduce((n, [, shard]) => n + shard.ips.length, 0)
  )
  graph.transaction(() => {
    for (let s = 0; s < 100; s++) {
      const names = Array.from({ length: 100 }, (_, p) => `ns/pod-${s}-${p}`)
      for (const [p, name] of names.entries()) pods.set(name, { ip: `10.${s}.${p}.1`, ready: true })
      slices.set(`ns/slice-${s}`, { service: `svc-${s % 10}`, pods: names })
    }
  })
  let ready = true
  const flip = (): void => {
    ready = !ready
    pods.set("ns/pod-42-7", { ip: "10.42.7.1", ready })
  }
  const before = graph.stats.recomputed
  flip()
  const recomputed = graph.stats.recomputed - before
  return [
    {
      name: "10,000 pods in 100 slices, one changes: items run",
      value: recomputed,
      unit: "items",
      target: "2 (its slice, its service)"
    },
    { name: "10,000 pods in 100 slices, one changes", value: await microseconds(flip), unit: "µs" }
  ]
}

/** 100,000 keys in two sources, a map, and a map that reads: 4 collections. */
const build = (): ReadonlyArray<Figure> => {
  const { gc } = globalThis
  const keys = Array.from({ length: 100_000 }, (_, n) => `namespace/name-${n}`.slice())
  const values = keys.map((_, n) => ({ n }))
  const settle = (): number => {
    for (let n = 0; n < 4; n++) gc?.()
    return process.memoryUsage().heapUsed
  }
  const before = settle()
  const start = performance.now()
  const graph = new Graph()
  const left = graph.source<{ readonly n: number }>("left")
  const right = graph.source<{ readonly n: number }>("right")
  const plain = graph.map("plain", left, (_, value) => value)
  graph.map("reads", plain, (key, _, read) => read.get(right, key), { reads: [right] })
  graph.transaction(() => {
    for (const [n, key] of keys.entries()) {
      const value = values[n]
      if (value === undefined) continue
      left.set(key, value)
      right.set(key, value)
    }
  })
  const took = ((performance.now() - start) * 1000) / keys.length
  const figures = [{ name: "build 100,000 keys in 4 collections", value: took, unit: "µs/key", target: "6" }]
  if (gc === undefined) return figures
  const value = (settle() - before) / graph.sizes().entries
  return [...figures, { name: "memory of a collection entry", value, unit: "B", target: "210" }]
}

export const collections = async (): Promise<ReadonlyArray<Figure>> => [
  ...build(),
  ...(await oneKey()),
  ...(await onePod())
]

if (import.meta.main) {
  const { figureTable } = await import("../table.ts")
  process.stdout.write(`${figureTable(await collections())}\n`)
}
