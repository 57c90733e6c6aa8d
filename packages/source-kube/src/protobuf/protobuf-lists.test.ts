import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { decodeObject, type Kind } from "@istiod-lite/model"
import { apiVersionOf, resourceOf } from "../kube-resource.ts"
import { type ListPage, readListPage } from "../watch-event.ts"
import { makeProtobufLists } from "./protobuf-lists.ts"
import { protobufType } from "./read-list.ts"

/** What an API server (1.34) has answered about odd objects, in both forms. */
const answers: Readonly<Record<string, { readonly json: unknown; readonly protobuf: string }>> = JSON.parse(
  readFileSync(new URL("testing/lists.json", import.meta.url), "utf8")
)

const kubeKinds = [
  "Namespace",
  "Node",
  "Pod",
  "Service",
  "EndpointSlice"
] as const satisfies ReadonlyArray<Kind>

const listsOf = makeProtobufLists()

const protobufOf = (kind: Kind): Uint8Array => Buffer.from(answers[kind]!.protobuf, "base64")

const readProtobuf = (kind: Kind, bytes: Uint8Array): ListPage => listsOf(kind)!.read(bytes, protobufType)

const decodeAll = (kind: Kind, { items }: ListPage) =>
  items.map((item) =>
    decodeObject({ ...item, kind, apiVersion: apiVersionOf(resourceOf(kind)) }, { isChecked: true })
  )

describe("makeProtobufLists", () => {
  it("has nothing for custom resources", () => {
    assert.isUndefined(listsOf("ServiceEntry"))
  })

  for (const kind of kubeKinds) {
    it(`reads what JSON says of objects of kind ${kind}`, () => {
      const json = readListPage(Buffer.from(JSON.stringify(answers[kind]!.json)))
      const protobuf = readProtobuf(kind, protobufOf(kind))
      assert.strictEqual(protobuf.resourceVersion, json.resourceVersion)
      assert.strictEqual(protobuf.continue, undefined)
      assert.isNotEmpty(json.items)
      assert.deepStrictEqual(decodeAll(kind, protobuf), decodeAll(kind, json))
    })

    it(`finds a list of kind ${kind} that is cut off, wherever it is`, () => {
      const whole = protobufOf(kind)
      // The envelope ends with empty fields that say nothing.
      for (let length = 0; length < whole.length - 4; length++)
        assert.throws(() => readProtobuf(kind, whole.subarray(0, length)), Error, "", `${length} bytes`)
    })
  }

  it("takes JSON from a server that answers in JSON", () => {
    const body = Buffer.from(JSON.stringify(answers.Pod!.json))
    const page = listsOf("Pod")!.read(body, "application/json; charset=utf-8")
    assert.deepStrictEqual(page, readListPage(body))
  })

  it("refuses what is something else", () => {
    assert.throws(() => readProtobuf("Pod", Buffer.from("<html>")), "no Kubernetes protobuf")
    assert.throws(() => readProtobuf("Pod", protobufOf("Service")), "the answer is no PodList")
  })
})
