/**
 * What endpoint assignments cost: 1,000 endpoints in 10 slices over 3 localities. `node tools/bench/micro/eds.ts`.
 * The generated encoder, measured beside ours on the same endpoints, is what the targets are taken from.
 */
import type { Endpoint, EndpointGroup } from "../../../packages/model/mod.ts"
import { endpoint, endpointGroup } from "../../../packages/model/testing.ts"
import { AssignmentEncoder } from "../../../packages/xds-eds/src/assignment-encoder.ts"
import { buildAssignment, encodeAssignment, toClusterLoadAssignment } from "../../../packages/xds-eds/mod.ts"
import { groups, input } from "../../../packages/xds-eds/testing.ts"
import { ClusterLoadAssignment } from "../../../packages/xds-proto/mod.ts"
import type { Figure } from "../figure.ts"
import { microseconds } from "../microseconds.ts"

const slices = 10
const perSlice = 100

const endpointAt = (slice: number, i: number, weight = 0): Endpoint =>
  endpoint({
    addresses: [`10.${20 + slice}.${i % 4}.${i}`],
    labels: { app: "reviews", version: "v1", "pod-template-hash": "7d9f8b6c5d" },
    locality: `eu-west/eu-west-${(i % 3) + 1}/`,
    tlsMode: "istio",
    weight,
    workloadName: "reviews-v1",
    node: `node-${i % 30}`
  })

const sliceAt = (slice: number, weight = 0): EndpointGroup =>
  endpointGroup({ endpoints: Array.from({ length: perSlice }, (_, i) => endpointAt(slice, i, weight)) })

/** Figures of building, encoding and re-encoding one assignment. */
export const eds = async (): Promise<ReadonlyArray<Figure>> => {
  const list = Array.from({ length: slices }, (_, slice) => sliceAt(slice))
  const whole = input({ endpoints: groups(...list) })
  const changed = [1, 2].map((weight) => sliceAt(slices - 1, weight))
  const variants = changed.map((slice) => input({ endpoints: groups(...list.slice(0, -1), slice) }))
  const assignment = buildAssignment(whole)
  const message = toClusterLoadAssignment(assignment)
  const size = encodeAssignment(assignment).length

  const scratch = await microseconds(() => new AssignmentEncoder(4).encode(whole))
  const kept = new AssignmentEncoder(4)
  let n = 0
  const change = await microseconds(() => kept.encode(variants[++n % 2] ?? whole))
  const same = await microseconds(() => kept.encode(variants[0] ?? whole))
  const general = await microseconds(() => encodeAssignment(buildAssignment(whole)))
  const ours = await microseconds(() => encodeAssignment(assignment))
  const generated = await microseconds(() => ClusterLoadAssignment.encode(message).finish())
  const rate = (each: number): number => size / each
  return [
    {
      name: "assignment of 1,000 endpoints from nothing",
      value: scratch,
      unit: "µs",
      target: `${generated.toFixed(0)} (generated encoder alone)`
    },
    {
      name: "the same after one of its 10 slices changed",
      value: change,
      unit: "µs",
      target: `${(generated / 5).toFixed(0)} (generated encoder / 5)`
    },
    { name: "the same unchanged", value: same, unit: "µs" },
    { name: "built endpoint by endpoint and encoded", value: general, unit: "µs" },
    {
      name: "encoding alone",
      value: rate(ours),
      unit: "MB/s",
      target: `${rate(generated).toFixed(0)} (generated encoder)`,
      better: "higher"
    }
  ]
}

if (import.meta.main) {
  const { figureTable } = await import("../table.ts")
  process.stdout.write(`${figureTable(await eds())}\n`)
}
