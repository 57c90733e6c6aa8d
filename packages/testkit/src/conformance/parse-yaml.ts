import { parseAllDocuments, type ScalarTag } from "yaml"

/**
 * Plain `n`, `yes`, `off`… are booleans to the YAML reader of Kubernetes, which then writes them as text where it
 * wants text: an object named `n` was named `false` when the goldens were made.
 */
const oldBoolean: ScalarTag = {
  tag: "tag:yaml.org,2002:bool",
  default: true,
  test: /^(?:y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/,
  resolve: (text) => String(/^(?:y|on$)/i.test(text))
}

/** The documents of a YAML text that hold something. Throws on broken YAML. */
export const parseYamlDocuments = (text: string): ReadonlyArray<unknown> =>
  parseAllDocuments(text, { customTags: (tags) => [oldBoolean, ...tags] }).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(error.message)
    const value: unknown = document.toJS()
    return value === null || value === undefined ? [] : [value]
  })

/** The only document of a YAML text, undefined if it is empty. */
export const parseYaml = (text: string): unknown => parseYamlDocuments(text)[0]
