/**
 * The two transports beside one another: one fixed response to many streams, which acknowledge it, with the neutral load
 * client; taking turns, three times each, medians. The figures of ADR 0012.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { ensureProgram } from "../../programs/program.ts"
import { runCommand } from "../../run-command.ts"
import type { Figure } from "../figure.ts"

const rounds = 3

const workloads = [
  { streams: 1000, bytes: 150, pushes: 40 },
  { streams: 1000, bytes: 15_000, pushes: 40 },
  { streams: 100, bytes: 1_500_000, pushes: 20 }
] as const

type Workload = (typeof workloads)[number]
type Transport = "http2" | "grpc-js"

/** What `xdsload floor` tells. */
interface Floor {
  readonly server_cpu_ms_per_round: number
  readonly last_ms: { readonly p50: number; readonly max: number }
  readonly server_rss_mib: number
  readonly connect_all_ms: number
  readonly errors: number
}

const firstLine = (child: ReturnType<typeof spawn>): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes("\n")) resolve(text)
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })

const measure = async (
  xdsload: string,
  transport: Transport,
  { bytes, pushes, streams }: Workload
): Promise<Floor> => {
  const program = join(import.meta.dirname, "child/fixed-responses.ts")
  const child = spawn(process.execPath, [program, transport, String(bytes)], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  try {
    const { controlPort, port } = JSON.parse(await firstLine(child)) as Readonly<Record<string, number>>
    const args = [
      ["-addr", `127.0.0.1:${port}`],
      ["-control", `http://127.0.0.1:${controlPort}/push`],
      ["-streams", String(streams)],
      ["-rounds", String(pushes)],
      ["-gap", "100ms"],
      ["-server-pids", String(child.pid)]
    ]
    const { code, output } = await runCommand(xdsload, ["floor", ...args.flat()])
    if (code !== 0) throw new Error(output)
    const floor = JSON.parse(output) as Floor
    if (floor.errors > 0) throw new Error(`${floor.errors} of ${streams} streams failed over ${transport}`)
    return floor
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const figuresOf = (
  transport: Transport,
  { bytes, streams }: Workload,
  floors: ReadonlyArray<Floor>
): ReadonlyArray<Figure> => {
  const name = `${transport}, ${streams} streams × ${bytes} B`
  const of = (value: (floor: Floor) => number): number => median(floors.map(value))
  return [
    { name: `${name}: CPU of a push`, value: of((f) => f.server_cpu_ms_per_round), unit: "ms" },
    { name: `${name}: last stream, p50`, value: of((f) => f.last_ms.p50), unit: "ms" },
    { name: `${name}: last stream, max`, value: of((f) => f.last_ms.max), unit: "ms" },
    { name: `${name}: connecting all`, value: of((f) => f.connect_all_ms), unit: "ms" },
    { name: `${name}: RSS at the end`, value: of((f) => f.server_rss_mib), unit: "MiB" }
  ]
}

/** Pushes over both transports. */
export const transports = async (): Promise<ReadonlyArray<Figure>> => {
  const xdsload = await ensureProgram("xdsload")
  const figures: Array<Figure> = []
  for (const workload of workloads) {
    const floors: Record<Transport, Array<Floor>> = { http2: [], "grpc-js": [] }
    for (let round = 0; round < rounds; round++) {
      for (const transport of ["http2", "grpc-js"] as const) {
        floors[transport].push(await measure(xdsload, transport, workload))
      }
    }
    for (const transport of ["http2", "grpc-js"] as const) {
      figures.push(...figuresOf(transport, workload, floors[transport]))
    }
  }
  return figures
}
