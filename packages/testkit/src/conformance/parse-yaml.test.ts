import { assert, describe, it } from "@effect/vitest"
import { parseYaml, parseYamlDocuments } from "./parse-yaml.ts"

describe("parseYamlDocuments", () => {
  it("passes over empty documents", () => {
    assert.deepEqual(parseYamlDocuments("---\n# nothing\n---\na: 1\n---\n"), [{ a: 1 }])
  })

  it("reads old booleans as the text that Kubernetes makes of them", () => {
    assert.deepEqual(parseYaml("{name: n, quoted: 'n', other: on, flag: true, text: once}"), {
      name: "false",
      quoted: "n",
      other: "true",
      flag: true,
      text: "once"
    })
  })

  it("throws on broken YAML", () => {
    assert.throws(() => parseYaml("a: [1"))
  })
})
