/**
 * What an endpoint costs, and where it goes: what lives in the heap of ours with fixture A (1,000 services of 10 endpoints,
 * with their pods) beyond what lives in that of an empty cluster.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKubeCluster } from "../../kube-cluster/kube-cluster.ts"
import type { Figure } from "../figure.ts"
import { type HeapShare, summarizeHeap } from "../heap/heap-snapshot.ts"
import type { ControlPlane } from "../servers/control-plane.ts"
import { startCluster } from "../servers/fixtures.ts"
import { ours } from "../servers/ours.ts"
import { memoryMib } from "../servers/process-usage.ts"

const endpoints = 10_000
/** Kinds that cost less for an endpoint are told together. */
const leastBytes = 25

type Shares = ReadonlyMap<string, HeapShare>

/** A heap, and the memory of the process before it was looked at, which takes a lot itself. */
interface Heap {
  readonly shares: Shares
  readonly residentMib: number
}

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Reads the only snapshot in a folder once it is whole. */
const snapshotIn = async (folder: string): Promise<Shares> => {
  for (let tries = 0; tries < 120; tries++) {
    await wait(500)
    const file = readdirSync(folder).find((name) => name.endsWith(".heapsnapshot"))
    const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8")
    if (text.trimEnd().endsWith("}")) return summarizeHeap(text)
  }
  throw new Error("Cannot measure memory: V8 wrote no heap snapshot within a minute")
}

const heapOf = async (server: ControlPlane, kubeconfig: string): Promise<Heap> => {
  const folder = mkdtempSync(join(tmpdir(), "istiod-lite-bench-"))
  const env = { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` }
  try {
    await using running = await server.start({ kubeconfig, folder, env })
    await wait(5000)
    const residentMib = memoryMib(running.pid, "VmRSS")
    process.kill(running.pid, "SIGUSR2")
    return { residentMib, shares: await snapshotIn(folder) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const emptyHeap = async (server: ControlPlane): Promise<Heap> => {
  await using cluster = await startKubeCluster()
  return await heapOf(server, cluster.kubeconfig)
}

const fullHeap = async (server: ControlPlane): Promise<Heap> => {
  await using cluster = await startCluster("A")
  return await heapOf(server, cluster.kubeconfig)
}

const total = (shares: Shares): number => shares.values().reduce((sum, { bytes }) => sum + bytes, 0)

const perEndpoint = (name: string, value: number): Figure => ({ name, value, unit: "B/endpoint" })

/** Bytes of the live heap for one endpoint, by kind. */
export const memoryOfEndpoints = async (): Promise<ReadonlyArray<Figure>> => {
  const server = await ours()
  const empty = await emptyHeap(server)
  const full = await fullHeap(server)
  const each = [...full.shares]
    .map(([kind, { bytes }]) => ({
      kind,
      bytes: (bytes - (empty.shares.get(kind)?.bytes ?? 0)) / endpoints
    }))
    .toSorted((a, b) => b.bytes - a.bytes)
  const rest = each.filter(({ bytes }) => bytes < leastBytes).reduce((sum, { bytes }) => sum + bytes, 0)
  return [
    { name: "process without endpoints, 5 s after it is ready", value: empty.residentMib, unit: "MiB" },
    { name: "process with 10,000", value: full.residentMib, unit: "MiB" },
    { name: "live heap without endpoints", value: total(empty.shares) / 1024 ** 2, unit: "MiB" },
    { name: "live heap with 10,000", value: total(full.shares) / 1024 ** 2, unit: "MiB" },
    perEndpoint("process", ((full.residentMib - empty.residentMib) * 1024 ** 2) / endpoints),
    perEndpoint("live heap", (total(full.shares) - total(empty.shares)) / endpoints),
    ...each
      .filter(({ bytes }) => bytes >= leastBytes)
      .map(({ kind, bytes }) => perEndpoint(`… ${kind}`, bytes)),
    perEndpoint("… all else", rest)
  ]
}
