import { ProxyDescription } from "@istiod-lite/model"
import { Effect, Schema } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { parseJson } from "./json.ts"
import { parseYaml, parseYamlDocuments } from "./parse-yaml.ts"
import {
  type ExpectedFile,
  type ExpectedFiles,
  type Scenario,
  type ScenarioObject,
  ScenarioSettings,
  snapshotFolder,
  StepItem
} from "./scenario.ts"
import { ScenarioError } from "./scenario-error.ts"

/** The folders below `root` that hold a scenario, sorted; `root` itself may be one. */
export const findScenarios = (root: string): ReadonlyArray<string> => {
  if (existsSync(join(root, "scenario.yaml"))) return [root]
  return folders(root).flatMap((name) => findScenarios(join(root, name)))
}

/** The name under which a folder's scenario is reported and its overlays are filed: its last two parts. */
export const scenarioName = (folder: string): string => {
  const path = resolve(folder)
  return `${basename(dirname(path))}/${basename(path)}`
}

/** Reads a scenario's folder; the format is that of the conformance corpus. */
export const loadScenario = (folder: string): Effect.Effect<Scenario, ScenarioError> =>
  Effect.try({
    try: () => readScenario(folder),
    catch: (cause) => new ScenarioError({ scenario: scenarioName(folder), reason: String(cause) })
  })

const readScenario = (folder: string): Scenario => {
  const settings = decode(ScenarioSettings, readYaml(join(folder, "scenario.yaml")))
  const configCluster = settings.configCluster ?? "Kubernetes"
  const clusters = folders(join(folder, "clusters"))
  const steps = files(join(folder, "steps"), ".yaml").map((path) =>
    decode(Schema.Array(StepItem), readYaml(path))
  )
  return {
    name: scenarioName(folder),
    settings,
    configCluster,
    clusters: [configCluster, ...clusters.filter((cluster) => cluster !== configCluster)],
    objects: [
      ...readObjects(join(folder, "kubernetes.yaml"), configCluster),
      ...clusters.flatMap((cluster) =>
        readObjects(join(folder, "clusters", cluster, "kubernetes.yaml"), cluster)
      ),
      ...readObjects(join(folder, "istio.yaml"), configCluster)
    ],
    proxies: decode(Schema.Array(ProxyDescription), readYaml(join(folder, "proxies.yaml")) ?? []),
    steps,
    expected: Array.from({ length: steps.length + 1 }, (_, i) =>
      readExpected(folder, snapshotFolder({ steps }, i))
    )
  }
}

const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, value: unknown): S["Type"] =>
  Schema.decodeUnknownSync(schema)(value, { errors: "all", onExcessProperty: "error" })

const readYaml = (path: string): unknown =>
  existsSync(path) ? parseYaml(readFileSync(path, "utf8")) : undefined

/** The objects of a file that may be missing. */
const readObjects = (path: string, cluster: string): ReadonlyArray<ScenarioObject> =>
  existsSync(path)
    ? parseYamlDocuments(readFileSync(path, "utf8")).map((object) => ({ cluster, object }))
    : []

const readExpected = (folder: string, snapshot: string): ExpectedFiles => {
  const read = (tree: string, corrected: boolean): ReadonlyArray<readonly [string, ExpectedFile]> =>
    files(join(folder, tree, snapshot), ".json").map((path) => [
      basename(path),
      { json: parseJson(readFileSync(path, "utf8")), corrected }
    ])
  return new Map([...read("expected", false), ...read("right", true)])
}

const folders = (path: string): ReadonlyArray<string> =>
  list(path)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

const files = (path: string, extension: string): ReadonlyArray<string> =>
  list(path)
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map(({ name }) => join(path, name))
    .toSorted()

const list = (path: string) => (existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [])
