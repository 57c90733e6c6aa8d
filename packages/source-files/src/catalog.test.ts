import { assert, describe, it } from "@effect/vitest"
import type { TypedObject } from "@istiod-lite/model"
import * as fc from "fast-check"
import { Catalog, type ObjectWrite } from "./catalog.ts"
import type { FileChange } from "./file-state.ts"
import { formatManifestFault } from "./manifest-fault.ts"
import { manifestKey } from "./read-document.ts"
import { readManifest } from "./read-manifest.ts"

const entry = (name: string, host: string) =>
  `apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: { name: ${name} }\nspec: { hosts: [${host}] }\n`

const read = (file: string, ...documents: ReadonlyArray<string>): FileChange => ({
  cluster: "c",
  file,
  change: "read",
  reading: readManifest(documents.join("---\n"))
})

const gone = (file: string): FileChange => ({ cluster: "c", file, change: "gone" })

/** The collections as the writes leave them: object name → host and version. */
class Target {
  readonly objects = new Map<string, TypedObject>()
  readonly versions = new Map<string, string>()

  take(writes: ReadonlyArray<ObjectWrite>): this {
    for (const write of writes) {
      if (write.write === "delete") {
        assert.isTrue(this.objects.delete(manifestKey(write.identity)), "deletes only what is there")
      } else {
        const { name, namespace } = write.typed.object.meta
        const key = manifestKey({ kind: write.typed.kind, namespace, name })
        assert.isTrue(write.resourceVersion > (this.versions.get(key) ?? ""), "versions rise")
        this.versions.set(key, write.resourceVersion)
        this.objects.set(key, write.typed)
      }
    }
    return this
  }

  get hosts(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.objects.values()].map((it) => [
        it.object.meta.name,
        it.kind === "ServiceEntry" ? it.object.hosts[0]! : ""
      ])
    )
  }
}

describe("Catalog", () => {
  it("writes what changed, with one new version for a batch", () => {
    const catalog = new Catalog()
    const first = catalog.apply([
      read("a", entry("one", "x"), entry("two", "x")),
      read("b", entry("three", "x"))
    ])
    assert.deepEqual(
      first.map((it) => it.write === "put" && it.resourceVersion),
      Array(3).fill("0000000000000001")
    )
    const second = catalog.apply([read("a", entry("one", "x"), entry("two", "y"))])
    assert.deepEqual(
      second.map((it) => it.write === "put" && [it.typed.object.meta.name, it.resourceVersion]),
      [["two", "0000000000000002"]]
    )
    assert.deepEqual(catalog.apply([read("a", `# a comment\n${entry("one", "x")}`, entry("two", "y"))]), [])
  })

  it("deletes what is missing, but not what another file of the batch has now", () => {
    const catalog = new Catalog()
    const target = new Target().take(catalog.apply([read("a", entry("one", "x"), entry("two", "x"))]))
    const writes = catalog.apply([gone("a"), read("b", entry("one", "x"))])
    assert.deepEqual(
      writes.map((it) => it.write),
      ["delete"]
    )
    assert.deepEqual(target.take(writes).hosts, { one: "x" })
  })

  it("keeps the last good state of a faulty object only", () => {
    const catalog = new Catalog()
    const target = new Target().take(catalog.apply([read("a", entry("one", "x"), entry("two", "x"))]))
    target.take(catalog.apply([read("a", entry("one", ""))]))
    assert.deepEqual(target.hosts, { one: "x" })
    assert.lengthOf(catalog.faults(), 1)
  })

  it("deletes nothing while a file holds something that is not recognised", () => {
    const catalog = new Catalog()
    const target = new Target().take(catalog.apply([read("a", entry("one", "x"), entry("two", "x"))]))
    target.take(catalog.apply([read("a", "a: [\n", entry("two", "y"))]))
    assert.deepEqual(target.hosts, { one: "x", two: "y" })
    target.take(catalog.apply([read("a", entry("two", "y"))]))
    assert.deepEqual(target.hosts, { two: "y" })
  })

  it("lets the first file by name win, and names both places", () => {
    const catalog = new Catalog()
    const target = new Target().take(catalog.apply([read("b.yaml", entry("one", "b"))]))
    target.take(
      catalog.apply([read("a.yaml", "# first\n", entry("one", "a")), read("c.yaml", entry("one", "c"))])
    )
    assert.deepEqual(target.hosts, { one: "a" })
    assert.deepEqual(catalog.faults().map(formatManifestFault), [
      "b.yaml:1: Cannot read ServiceEntry default/one: declared at a.yaml:3 already, which counts. Remedy: keep one of the two.",
      "c.yaml:1: Cannot read ServiceEntry default/one: declared at a.yaml:3 already, which counts. Remedy: keep one of the two."
    ])
    target.take(catalog.apply([gone("a.yaml")]))
    assert.deepEqual(target.hosts, { one: "b" })
  })

  it("takes the first of two objects in one file", () => {
    const catalog = new Catalog()
    const target = new Target().take(catalog.apply([read("a", entry("one", "x"), entry("one", "y"))]))
    assert.deepEqual(target.hosts, { one: "x" })
    assert.include(catalog.faults()[0]?.reason, "declared at a:1")
  })

  it("keeps clusters apart", () => {
    const catalog = new Catalog()
    catalog.apply([read("a", entry("one", "x")), { ...read("a", entry("one", "y")), cluster: "d" }])
    assert.deepEqual([...catalog.counts()], [["ServiceEntry", 2]])
    assert.lengthOf(catalog.faults(), 0)
    catalog.removeCluster("d")
    assert.deepEqual([...catalog.counts()], [["ServiceEntry", 1]])
  })

  it("shortens the faults of noise", () => {
    const catalog = new Catalog()
    catalog.apply([read("a", ...Array<string>(1000).fill("just text\n"))])
    assert.lengthOf(catalog.faults(), 101)
    assert.strictEqual(catalog.faults().at(-1)?.reason, "900 more faults")
  })
})

const good = fc
  .uniqueArray(fc.tuple(fc.constantFrom("one", "two", "three"), fc.constantFrom("x", "y")), {
    selector: ([name]) => name
  })
  .map((objects) => objects.map(([name, host]) => entry(name, host)))
const faulty = fc
  .tuple(good, fc.constantFrom(entry("one", ""), "a: [\n", "just text\n"))
  .map(([documents, bad]) => [bad, ...documents])
const file = fc.constantFrom("a", "b", "c")
const change = (content: fc.Arbitrary<ReadonlyArray<string>>): fc.Arbitrary<FileChange> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(file, content).map(([name, documents]) => read(name, ...documents)) },
    { weight: 1, arbitrary: file.map(gone) }
  )
const batches = (content: fc.Arbitrary<ReadonlyArray<string>>) =>
  fc.array(fc.array(change(content), { maxLength: 4 }), { maxLength: 8 })

describe("Catalog, whatever the edits", () => {
  it("ends like one that saw the last contents only, once they are all good", () => {
    fc.assert(
      fc.property(batches(fc.oneof(good, faulty)), fc.tuple(good, good, good), (history, last) => {
        const catalog = new Catalog()
        const target = new Target()
        for (const batch of history) target.take(catalog.apply(batch))
        const final = last.map((documents, i) => read(["a", "b", "c"][i]!, ...documents))
        target.take(catalog.apply(final))
        const scratch = new Catalog()
        const fresh = new Target().take(scratch.apply(final))
        assert.deepEqual(target.objects, fresh.objects)
        assert.deepEqual(catalog.faults(), scratch.faults())
        assert.deepEqual(catalog.counts(), scratch.counts())
      })
    )
  })

  it("makes no difference how edits are batched", () => {
    fc.assert(
      fc.property(batches(fc.oneof(good, faulty)), (history) => {
        const together = new Catalog()
        const apart = new Catalog()
        const one = new Target().take(together.apply(history.flat()))
        const many = new Target()
        for (const edit of history.flat()) many.take(apart.apply([edit]))
        assert.deepEqual(new Map(one.objects), new Map(many.objects))
        assert.deepEqual(together.faults(), apart.faults())
      })
    )
  })

  it("loses no good object to faulty edits", () => {
    fc.assert(
      fc.property(good, fc.array(faulty, { maxLength: 5 }), (before, edits) => {
        const catalog = new Catalog()
        const target = new Target().take(catalog.apply([read("a", ...before)]))
        const names = Object.keys(target.hosts)
        for (const documents of edits.filter(([bad]) => bad !== entry("one", ""))) {
          target.take(catalog.apply([read("a", ...documents)]))
        }
        assert.includeMembers(Object.keys(target.hosts), names)
      })
    )
  })
})
