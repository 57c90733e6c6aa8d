/**
 * The two transports beside one another: one fixed response to many streams, which acknowledge it, with the neutral load
 * client; taking turns, three times each, medians. The figures of ADR 0012.
 */
import { join } from "node:path"
import { ensureProgram } from "../../programs/program.ts"
import type { Figure } from "../figure.ts"
import { compareFloors, type FloorWorkload } from "../floor.ts"

const rounds = 3

const workloads: ReadonlyArray<FloorWorkload> = [
  { streams: 1000, bytes: 150, pushes: 40 },
  { streams: 1000, bytes: 15_000, pushes: 40 },
  { streams: 100, bytes: 1_500_000, pushes: 20 }
]

const serverOf =
  (transport: string) =>
  ({ bytes }: FloorWorkload): ReadonlyArray<string> => [
    join(import.meta.dirname, "child/fixed-responses.ts"),
    transport,
    String(bytes)
  ]

/** Pushes over both transports. */
export const transports = async (): Promise<ReadonlyArray<Figure>> => {
  const xdsload = await ensureProgram("xdsload")
  const servers = { http2: serverOf("http2"), "grpc-js": serverOf("grpc-js") }
  const figures: Array<Figure> = []
  for (const workload of workloads) figures.push(...(await compareFloors(xdsload, servers, workload, rounds)))
  return figures
}
