import { assert, describe, it } from "@effect/vitest"
import { formatManifestFault } from "./manifest-fault.ts"
import { readManifest } from "./read-manifest.ts"
import { splitDocuments } from "./split-documents.ts"

const keys = (text: string) => readManifest(text).objects.map((it) => `${it.key}:${it.line}`)
const faults = (text: string) =>
  readManifest(text).faults.map((it) => formatManifestFault({ ...it, cluster: "", file: "f" }))

const split = (text: string) => splitDocuments(text).map((it) => [it.line, it.text])

const pod = "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n"

describe("splitDocuments", () => {
  it("cuts at marker lines only", () => {
    assert.deepEqual(split("a: 1\n---\nb: ---\nc: |\n  ---\n---\nd: 1\n"), [
      [1, "a: 1\n"],
      [2, "\nb: ---\nc: |\n  ---\n"],
      [6, "\nd: 1\n"]
    ])
  })

  it("passes over nothing and directives", () => {
    assert.deepEqual(split("%YAML 1.2\n---\n\n---\n---\na: 1"), [[5, "\na: 1"]])
  })

  it("takes what only begins like a directive for a document", () => {
    const noise = "% no directive\nat all: [\n"
    assert.deepEqual(split(noise), [[1, noise]])
    assert.deepEqual(split("%YAML 1.2\n# comment\r\n---\na: 1"), [[3, "\na: 1"]])
  })

  it("keeps what stands behind the marker", () => {
    assert.deepEqual(split("--- {a: 1}\n---x\n"), [[1, " {a: 1}\n---x\n"]])
  })
})

describe("readManifest", () => {
  it("gives the lines of objects in a stream", () => {
    assert.deepEqual(keys(`# comment\n${pod}---\n\n${pod.replace("a }", "b }")}`), [
      "Pod/default/a:2",
      "Pod/default/b:7"
    ])
  })

  it("reads JSON, lists and lists of one kind", () => {
    const item = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }
    assert.deepEqual(keys(JSON.stringify(item)), ["Pod/default/a:1"])
    assert.deepEqual(keys(`---\n\n${JSON.stringify(item)}`), ["Pod/default/a:3"])
    assert.deepEqual(keys(JSON.stringify({ kind: "List", apiVersion: "v1", items: [item] })), [
      "Pod/default/a:1"
    ])
    assert.deepEqual(keys("apiVersion: v1\nkind: NodeList\nitems:\n- metadata: { name: n }\n"), ["Node//n:4"])
  })

  it("finds the lines of faults in lists, JSON and through aliases", () => {
    const list =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: { name: a }\n  spec:\n    ports:\n    - port: 0\n"
    assert.match(
      faults(list)[0]!,
      /^f:9: Cannot read Service default\/a: spec\.ports\[0\]\.port: expected 1\.\.65535: received 0\./
    )
    const json = JSON.stringify(
      { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { ports: [{ port: "x" }] } },
      null,
      2
    )
    assert.match(faults(json)[0]!, /^f:10: .*spec\.ports\[0\]\.port/)
    const alias =
      "apiVersion: v1\nkind: Service\nmetadata: &m { name: a, labels: { x: y } }\nspec:\n  ports: &p\n  - port: 70000\n  selector: *p\n"
    assert.deepEqual(
      faults(alias).map((it) => it.split(":")[1]),
      ["6", "7"]
    )
  })

  it("names a missing field at the object around it", () => {
    assert.match(
      faults("apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: x\n")[0]!,
      /^f:3: .*metadata\.name: is required/
    )
  })

  it("tells syntax errors by their line and reads the other documents", () => {
    const text = `${pod}---\na: [\n---\n${pod.replace("a }", "b }")}`
    assert.lengthOf(readManifest(text).objects, 2)
    assert.match(faults(text)[0]!, /^f:[56]: Cannot read document: not valid YAML/)
    assert.isFalse(readManifest(text).complete)
  })

  it("survives bombs, circles and depth", () => {
    const bomb = [
      "a: &a [x, x, x, x, x, x, x, x, x]",
      ..."bcdefgh".split("").map((it, i) => `${it}: &${it} [${Array(9).fill(`*${"abcdefg"[i]}`).join(", ")}]`)
    ]
    assert.match(faults(bomb.join("\n"))[0]!, /not valid YAML/)
    const circle =
      "apiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata: { name: a }\nspec: &s\n  host: x\n  trafficPolicy: *s\n"
    assert.deepEqual(faults(circle), [])
    assert.match(faults("[".repeat(20_000))[0]!, /not valid YAML/)
  })

  it("refuses YAML documents that are too long, but not JSON", () => {
    assert.match(faults(`a: ${"x".repeat(2_000_000)}`)[0]!, /2 MB|3 MB/)
    const items = Array.from({ length: 20_000 }, (_, i) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `pod-${i}`, annotations: { padding: "x".repeat(60) } }
    }))
    assert.lengthOf(readManifest(JSON.stringify({ apiVersion: "v1", kind: "List", items })).objects, 20_000)
  })

  it("parses again only the documents that changed", () => {
    const before = readManifest(`${pod}---\n${pod.replace("a }", "b }")}`)
    const after = readManifest(`${pod}---\n${pod.replace("a }", "c }")}`, before)
    assert.strictEqual(after.objects[0]?.typed.object, before.objects[0]?.typed.object)
    assert.strictEqual(after.objects[1]?.key, "Pod/default/c")
  })

  it("notes other kinds without calling them wrong", () => {
    const reading = readManifest("apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\n")
    assert.deepEqual(
      reading.faults.map((it) => it.severity),
      ["info"]
    )
    assert.isTrue(reading.complete)
  })
})
