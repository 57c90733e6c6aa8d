import { assert, describe, it } from "@effect/vitest"
import { sorted } from "../testing.ts"
import { Graph } from "./graph.ts"

describe("Graph", () => {
  it("propagates a write through map, index and group", () => {
    const graph = new Graph()
    const pods = graph.source<{ app: string; ip: string }>("pods")
    const byApp = graph.index("by app", pods, (pod) => [pod.app])
    const apps = graph.group("apps", byApp, (_, members) => members.map(([, { ip }]) => ip).join())
    pods.set("b", { app: "web", ip: "2" })
    pods.set("a", { app: "web", ip: "1" })
    assert.deepStrictEqual(sorted(apps), [["web", "1,2"]])
    pods.delete("a")
    pods.delete("b")
    assert.deepStrictEqual(sorted(apps), [])
    assert.strictEqual(graph.sizes().indexKeys, 0)
  })
})
