import { assert, describe, it } from "@effect/vitest"
import type { Collection } from "./collection.ts"
import { Graph } from "./graph.ts"

describe("Graph.inputsOf", () => {
  const graph = new Graph()
  const pods = graph.source<{ readonly app: string; readonly node: string }>("pods")
  const zones = graph.source<string>("zones")
  const byApp = graph.index("by app", pods, ({ app }) => [app])
  const apps = graph.group(
    "apps",
    byApp,
    (_, members, read) => members.map(([, { node }]) => read.get(zones, node)).join(),
    { reads: [zones] }
  )
  const names = graph.flatMap<string, string>(
    "names",
    apps,
    (app, zone, read) => [[`${app}.local`, `${zone} ${read.lookup(byApp, "db").length}`]],
    { reads: [byApp] }
  )
  const merged = graph.merge("merged", [names])
  pods.set("p1", { app: "web", node: "n1" })
  pods.set("p2", { app: "web", node: "n1" })
  pods.set("p3", { app: "web", node: "n2" })
  zones.set("n1", "east")

  const inputs = (collection: Collection<unknown>, key: string): ReadonlyArray<string> =>
    graph
      .inputsOf(collection, key)
      .map(({ kind, collection, key, present }) => `${kind} ${collection}/${key}${present ? "" : " absent"}`)

  it("names the input and every distinct read, also those that found nothing", () => {
    assert.deepStrictEqual(inputs(apps, "web"), ["from by app/web", "get zones/n1", "get zones/n2 absent"])
    assert.deepStrictEqual(inputs(names, "web.local"), ["from apps/web", "lookup by app/db absent"])
    assert.deepStrictEqual(inputs(merged, "web.local"), ["from names/web.local"])
  })

  it("is empty for sources and unknown keys", () => {
    assert.deepStrictEqual(inputs(pods, "p1"), [])
    for (const collection of [apps, names, merged]) assert.deepStrictEqual(inputs(collection, "none"), [])
  })

  it("answers for an item without output", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const none = graph.map("none", from, () => undefined)
    from.set("a", 1)
    assert.strictEqual(graph.inputsOf(none, "a")[0]?.of, from)
  })
})
