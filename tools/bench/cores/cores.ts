/**
 * Whether a front of several processes beside one core would send sooner: one process that knows what to send, and one, two or
 * three that hold the streams. The figures of ADR 0014.
 */
import { join } from "node:path"
import { ensureProgram } from "../../programs/program.ts"
import type { Figure } from "../figure.ts"
import { compareFloors, type FloorWorkload } from "../floor.ts"

const rounds = 3

const workloads: ReadonlyArray<FloorWorkload> = [
  { streams: 1000, bytes: 15_000, pushes: 40 },
  { streams: 100, bytes: 1_500_000, pushes: 20 }
]

const frontOf =
  (processes: number) =>
  ({ bytes }: FloorWorkload): ReadonlyArray<string> => [
    join(import.meta.dirname, "child/front.ts"),
    String(processes),
    String(bytes)
  ]

/** Pushes over fronts of one, two and three processes. */
export const cores = async (): Promise<ReadonlyArray<Figure>> => {
  const xdsload = await ensureProgram("xdsload")
  const servers = { "1 process": frontOf(1), "2 processes": frontOf(2), "3 processes": frontOf(3) }
  const figures: Array<Figure> = []
  for (const workload of workloads) figures.push(...(await compareFloors(xdsload, servers, workload, rounds)))
  return figures
}
