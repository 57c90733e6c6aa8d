import { type Collection, Graph } from "@istiod-lite/collections"
import { assertReplays, sorted } from "@istiod-lite/collections/testing"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decodeObject, type TypedObject } from "./decode/decode-object.ts"
import { decodeMeshConfig } from "./decode/mesh-config.ts"
import { matchesSelector } from "./discovery-selectors.ts"
import type { Labels } from "./labels.ts"
import { type MeshConfigValue, meshKey } from "./mesh-config.ts"
import { ObjectStore } from "./object-store.ts"
import { objectKey } from "./objects/meta.ts"

const settings = (discoverySelectors?: ReadonlyArray<object>): MeshConfigValue => {
  const { faults, value } = decodeMeshConfig({ discoverySelectors })
  assert.deepEqual(faults, [])
  return value
}

const selected = (selector: object, labels: Labels): boolean => {
  const [decoded] = settings([selector]).discoverySelectors
  return matchesSelector(decoded!, labels)
}

const asks = (operator: string, values?: ReadonlyArray<string>) => ({
  matchExpressions: [{ key: "team", operator, values }]
})

describe("matchesSelector", () => {
  it("wants every label and every expression to be so", () => {
    const selector = { matchLabels: { mesh: "on" }, ...asks("Exists") }
    assert.isTrue(selected(selector, { mesh: "on", team: "a" }))
    assert.isFalse(selected(selector, { mesh: "on" }))
    assert.isFalse(selected(selector, { mesh: "off", team: "a" }))
  })

  it("knows Kubernetes' operators; NotIn is also true where there is no such label", () => {
    const tried: ReadonlyArray<Labels> = [{ team: "a" }, { team: "c" }, {}]
    const results = (selector: object) => tried.map((labels) => selected(selector, labels))
    assert.deepEqual(results(asks("In", ["a", "b"])), [true, false, false])
    assert.deepEqual(results(asks("NotIn", ["a", "b"])), [false, true, true])
    assert.deepEqual(results(asks("Exists")), [true, true, false])
    assert.deepEqual(results(asks("DoesNotExist")), [false, false, true])
    assert.deepEqual(results({}), [true, true, true])
  })
})

const typed = (apiVersion: string, kind: string, metadata: object, spec: object = {}): TypedObject => {
  const decoded = decodeObject({ apiVersion, kind, metadata, spec })
  if (decoded.outcome !== "object") throw new Error(JSON.stringify(decoded.faults))
  return decoded
}

const namespace = (name: string, labels: Labels) => typed("v1", "Namespace", { name, labels })

const entry = (name: string, of: string) =>
  typed("networking.istio.io/v1", "ServiceEntry", { name, namespace: of }, { hosts: [`${name}.example`] })

const makeStore = () => {
  const graph = new Graph()
  const mesh = graph.source<MeshConfigValue>("mesh")
  const store = new ObjectStore(graph, "main", mesh)
  mesh.set(meshKey, settings())
  const put = (object: TypedObject): void => store.put("main", object)
  return { graph, mesh, store, put, entries: store.config.ServiceEntry }
}

const keysOf = (collection: Collection<unknown>) => [...collection.keys()].toSorted()

describe("an ObjectStore with discovery selectors", () => {
  it("takes a namespace's objects in and out in one transaction each", () => {
    const { entries, graph, mesh, put } = makeStore()
    for (const name of ["a", "b"]) put(entry(name, "shop"))
    put(entry("c", "other"))
    assert.deepEqual(keysOf(entries), ["other/c", "shop/a", "shop/b"])
    const batches: Array<number> = []
    entries.subscribe((changes) => batches.push(changes.length))
    mesh.set(meshKey, settings([{ matchLabels: { mesh: "on" } }]))
    assert.deepEqual(keysOf(entries), [], "namespaces that are not known are not selected")
    graph.transaction(() => {
      put(namespace("shop", { mesh: "on" }))
      put(namespace("other", {}))
    })
    assert.deepEqual(keysOf(entries), ["shop/a", "shop/b"])
    put(namespace("shop", { mesh: "off" }))
    put(namespace("shop", { mesh: "on" }))
    mesh.set(meshKey, settings())
    assert.deepEqual(batches, [3, 2, 2, 2, 1])
  })

  it("goes by the namespaces of the configuration cluster, whatever takes its place", () => {
    const { entries, mesh, put, store } = makeStore()
    mesh.set(meshKey, settings([{ matchLabels: { mesh: "on" } }]))
    put(entry("a", "shop"))
    store.put("remote", namespace("shop", { mesh: "on" }))
    assert.deepEqual(keysOf(entries), [])
    const next = store.successor("main")
    next.put(namespace("shop", { mesh: "on" }))
    next.put(entry("a", "shop"))
    next.takeOver()
    assert.deepEqual(keysOf(entries), ["shop/a"])
    assert.deepEqual(keysOf(store.collectionOf("main", "ServiceEntry")!), ["shop/a"])
    store.removeCluster("main")
    assert.deepEqual(keysOf(entries), [])
  })

  const labels = fc.constantFrom<Labels>({}, { mesh: "on" }, { mesh: "off", team: "a" })
  const name = fc.constantFrom("a", "b")
  const of = fc.constantFrom("shop", "other")
  const selectors = fc.constantFrom<ReadonlyArray<object> | undefined>(
    undefined,
    [{ matchLabels: { mesh: "on" } }],
    [{ matchLabels: { mesh: "on" } }, asks("In", ["a"])],
    [asks("NotIn", ["a"])]
  )
  const step = fc.oneof(
    fc.record({
      put: fc.oneof(
        fc.tuple(of, labels).map((it) => namespace(...it)),
        fc.tuple(name, of).map((it) => entry(...it))
      )
    }),
    fc.record({
      drop: fc.oneof(
        of.map((it) => namespace(it, {})),
        fc.tuple(name, of).map((it) => entry(...it))
      )
    }),
    fc.record({ selectors })
  )

  it("holds what one holds that is built from the final state, whatever happened", () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 12 }), (batches) => {
        const world = makeStore()
        const check = assertReplays(world.entries)
        const final = new Map<string, TypedObject>()
        let last: ReadonlyArray<object> | undefined
        for (const batch of batches) {
          world.graph.transaction(() => {
            for (const change of batch) {
              if ("selectors" in change) {
                last = change.selectors
                world.mesh.set(meshKey, settings(last))
              } else if ("put" in change) {
                world.put(change.put)
                final.set(`${change.put.kind} ${objectKey(change.put.object.meta)}`, change.put)
              } else {
                const { kind, object } = change.drop
                world.store.delete("main", { kind, ...object.meta })
                final.delete(`${kind} ${objectKey(object.meta)}`)
              }
            }
          })
        }
        const scratch = makeStore()
        scratch.mesh.set(meshKey, settings(last))
        for (const object of [...final.values()].toReversed()) scratch.put(object)
        assert.deepEqual(sorted(world.entries), sorted(scratch.entries))
        check()
      })
    )
  })
})
