/** What it costs a server that only sends: one fixed response to many streams, which acknowledge it, with the neutral load client. */
import { spawn } from "node:child_process"
import { runCommand } from "../run-command.ts"
import type { Figure } from "./figure.ts"

/** How many streams get how much, how often. */
export interface FloorWorkload {
  readonly streams: number
  readonly bytes: number
  readonly pushes: number
}

/** What `xdsload floor` tells. */
export interface Floor {
  readonly server_cpu_ms_per_round: number
  readonly last_ms: { readonly p50: number; readonly max: number }
  readonly server_rss_mib: number
  readonly connect_all_ms: number
  readonly errors: number
}

/** What a server prints when it listens. */
interface Listening {
  readonly port: number
  /** a POST there is one push */
  readonly controlPort: number
  /** all of its processes, if there are others than the one that was started */
  readonly pids?: ReadonlyArray<number>
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

/** Starts a server, a program of Node with its arguments, and lets the client take its pushes. */
export const measureFloor = async (
  xdsload: string,
  server: ReadonlyArray<string>,
  { pushes, streams }: FloorWorkload
): Promise<Floor> => {
  const child = spawn(process.execPath, server, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  try {
    const { controlPort, pids = [child.pid ?? 0], port } = JSON.parse(await firstLine(child)) as Listening
    const args = [
      ["-addr", `127.0.0.1:${port}`],
      ["-control", `http://127.0.0.1:${controlPort}/push`],
      ["-streams", String(streams)],
      ["-rounds", String(pushes)],
      ["-gap", "100ms"],
      ["-server-pids", pids.join()]
    ]
    const { code, output } = await runCommand(xdsload, ["floor", ...args.flat()])
    if (code !== 0) throw new Error(output)
    const floor = JSON.parse(output) as Floor
    if (floor.errors > 0)
      throw new Error(`${floor.errors} of ${streams} streams failed with ${server.join(" ")}`)
    return floor
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Medians over runs. */
export const floorFigures = (
  server: string,
  { bytes, streams }: FloorWorkload,
  floors: ReadonlyArray<Floor>
): ReadonlyArray<Figure> => {
  const name = `${server}, ${streams} streams × ${bytes} B`
  const of = (value: (floor: Floor) => number): number => median(floors.map(value))
  return [
    { name: `${name}: CPU of a push`, value: of((f) => f.server_cpu_ms_per_round), unit: "ms" },
    { name: `${name}: last stream, p50`, value: of((f) => f.last_ms.p50), unit: "ms" },
    { name: `${name}: last stream, max`, value: of((f) => f.last_ms.max), unit: "ms" },
    { name: `${name}: connecting all`, value: of((f) => f.connect_all_ms), unit: "ms" },
    { name: `${name}: RSS at the end`, value: of((f) => f.server_rss_mib), unit: "MiB" }
  ]
}

/** Lets servers take turns at a workload, and tells the medians of each. */
export const compareFloors = async (
  xdsload: string,
  servers: Readonly<Record<string, (workload: FloorWorkload) => ReadonlyArray<string>>>,
  workload: FloorWorkload,
  rounds: number
): Promise<ReadonlyArray<Figure>> => {
  const floors = new Map(Object.keys(servers).map((name): [string, Array<Floor>] => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, command] of Object.entries(servers))
      floors.get(name)?.push(await measureFloor(xdsload, command(workload), workload))
  return [...floors].flatMap(([name, all]) => floorFigures(name, workload, all))
}
