import { assert, describe, it } from "@effect/vitest"
import { parseLocality } from "@istiod-lite/model"
import * as fc from "fast-check"
import { collectionName, collectionPath, parseCollectionName } from "./collection-name.ts"

const reviews = "outbound|80||reviews.shop.svc.cluster.local"

describe("collectionPath", () => {
  it("names the cluster, the locality, and how far it is", () => {
    assert.strictEqual(
      collectionPath({ cluster: reviews, locality: parseLocality("eu/eu-1"), distance: 2 }),
      `xdstp://istiod-lite/envoy.config.endpoint.v3.LbEndpoint/${reviews}/eu/eu-1/2`
    )
  })

  it("has only characters that clients leave as they are, and is not the same for two clusters or localities", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "/", "*", "~", "!", "%", "2", "f", "é", " ", "?", "|")
    })
    const seen = new Map<string, string>()
    fc.assert(
      fc.property(text, text, fc.nat({ max: 3 }), (cluster, region, distance) => {
        const locality = { region, zone: "z", subzone: "" }
        const path = collectionPath({ cluster, locality, distance })
        assert.match(path, /^xdstp:\/\/[\w.|!/-]+$/)
        const identity = JSON.stringify([cluster, region, distance])
        // Slashes within a region would make it a zone, too: they divide localities wherever these are texts.
        if (!region.includes("/")) assert.strictEqual(seen.get(path) ?? identity, identity)
        if (!region.includes("/")) seen.set(path, identity)
        assert.deepStrictEqual(parseCollectionName(collectionName(path, 64)), { path, cluster })
      })
    )
  })
})

describe("parseCollectionName", () => {
  it("knows no other names", () => {
    const path = collectionPath({ cluster: reviews, locality: parseLocality(""), distance: 0 })
    const others = ["", reviews, `${path}/64/3`, collectionName(path.replace("istiod-lite", "x"), 64)]
    for (const other of others) assert.isUndefined(parseCollectionName(other))
  })
})
