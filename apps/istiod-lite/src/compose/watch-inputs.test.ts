import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig } from "@istiod-lite/model"
import * as fc from "fast-check"
import { put } from "../testing/recorded-plane.ts"
import { GatheredChanges } from "./gathered-changes.ts"
import { type InputChanges, noInputChanges, readInputs } from "./inputs.ts"
import { watchInputs } from "./watch-inputs.ts"
import { WritableInputs } from "./writable-inputs.ts"

const cluster = fc.constantFrom("Kubernetes", "east")
const name = fc.constantFrom("a", "b")

/** An object makes its cluster known. */
const putIn = (id: string, raw: object): InputChanges => ({ ...put(id, raw), clusters: [[id, true]] })

/** What one transaction may do: few keys, so that things meet. */
const oneChange: fc.Arbitrary<InputChanges> = fc.oneof(
  fc.tuple(cluster, name, fc.constantFrom("1", "2")).map(([id, name, version]) =>
    putIn(id, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { version } }
    })
  ),
  fc.tuple(cluster, name, fc.constantFrom("192.0.2.1", "192.0.2.2")).map(([id, name, address]) =>
    putIn(id, {
      apiVersion: "networking.istio.io/v1",
      kind: "WorkloadEntry",
      metadata: { name, namespace: "shop" },
      spec: { address }
    })
  ),
  fc.tuple(cluster, name).map(([id, name]): InputChanges => ({
    ...noInputChanges,
    objects: [{ cluster: id, change: "delete", identity: { kind: "Namespace", namespace: "", name } }]
  })),
  fc
    .tuple(cluster, fc.boolean())
    .map(([id, isThere]) => ({ ...noInputChanges, clusters: [[id, isThere]] as const })),
  fc.constantFrom("one.example", "two.example").map((trustDomain) => ({
    ...noInputChanges,
    mesh: { ...defaultMeshConfig, trustDomain }
  })),
  fc
    .tuple(name, fc.option(fc.constantFrom("192.0.2.7", "192.0.2.8"), { nil: undefined }))
    .map(([name, address]): InputChanges => ({
      ...noInputChanges,
      statuses: [
        [`shop/${name}`, address === undefined ? undefined : [{ host: "x.example", value: address }]]
      ],
      gatewayAddresses: [[name, address === undefined ? undefined : [address]]]
    }))
)
const transactions = fc.array(fc.array(oneChange, { minLength: 1, maxLength: 5 }), { maxLength: 12 })

const stateOf = (inputs: WritableInputs): string => {
  const { clusters, gatewayAddresses, mesh, objects, statuses } = readInputs(inputs)
  const lists = [clusters, objects, statuses, gatewayAddresses]
  return JSON.stringify([mesh, ...lists.map((list) => list.map((it) => JSON.stringify(it)).toSorted())])
}

const inputsOf = (graph: Graph): WritableInputs => new WritableInputs(graph, "Kubernetes", true)

describe("watchInputs", () => {
  it("tells every transaction so that another control plane has the same inputs after each", () => {
    fc.assert(
      fc.property(transactions, (steps) => {
        const graph = new Graph()
        const inputs = inputsOf(graph)
        const follower = inputsOf(new Graph())
        let told = 0
        const end = watchInputs(graph, inputs, (changes) => {
          told++
          follower.apply(changes)
        })
        steps.forEach((changes, i) => {
          graph.transaction(() => changes.forEach((change) => inputs.apply(change)))
          assert.strictEqual(stateOf(follower), stateOf(inputs))
          assert.isAtMost(told, i + 1)
        })
        end()
        const before = told
        inputs.apply(put("Kubernetes", { apiVersion: "v1", kind: "Namespace", metadata: { name: "late" } }))
        assert.strictEqual(told, before)
      }),
      { numRuns: 300 }
    )
  })
})

describe("GatheredChanges", () => {
  it("gives changes that do together what they did one after the other", () => {
    fc.assert(
      fc.property(transactions, (steps) => {
        const [one, other] = [inputsOf(new Graph()), inputsOf(new Graph())]
        const gathered = new GatheredChanges()
        for (const change of steps.flat()) {
          one.apply(change)
          gathered.absorb(change)
        }
        other.apply(gathered.take())
        assert.strictEqual(stateOf(other), stateOf(one))
        assert.isTrue(gathered.isEmpty)
      }),
      { numRuns: 300 }
    )
  })
})
