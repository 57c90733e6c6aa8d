import type { ProxyDescription } from "@istiod-lite/model"
import { Schema } from "effect"
import type { Json } from "./json.ts"

/** `scenario.yaml`; a field that is not of the format is an error, because it would change what istiod did. */
export const ScenarioSettings = Schema.Struct({
  title: Schema.String,
  description: Schema.optionalKey(Schema.String),
  /** fields laid over the default MeshConfig */
  mesh: Schema.optionalKey(Schema.Unknown),
  meshNetworks: Schema.optionalKey(Schema.Unknown),
  configCluster: Schema.optionalKey(Schema.String),
  clusterTrustDomains: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  env: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean]))
  ),
  ipAllocator: Schema.optionalKey(Schema.Literals(["v2"])),
  randomInIstiod: Schema.optionalKey(Schema.String)
})
export type ScenarioSettings = typeof ScenarioSettings.Type

/** An item of a step. The object of a deletion counts by its identity alone; its other fields may be stale. */
export const StepItem = Schema.Union([
  Schema.Struct({
    action: Schema.Literals(["apply", "delete"]),
    cluster: Schema.optionalKey(Schema.String),
    object: Schema.Unknown
  }),
  Schema.Struct({ action: Schema.Literal("removeCluster"), cluster: Schema.String })
])
export type StepItem = typeof StepItem.Type

/** A manifest and the cluster that holds it. */
export interface ScenarioObject {
  readonly cluster: string
  readonly object: unknown
}

/** What a file must hold. */
export interface ExpectedFile {
  readonly json: Json
  /** from `right/`, where istiod's own output has the fault that the scenario is about */
  readonly corrected: boolean
}

/** The files of one moment, by name: `services.json`, `web.eds.json`. */
export type ExpectedFiles = ReadonlyMap<string, ExpectedFile>

export interface Scenario {
  /** `area/name`, as overlays are filed */
  readonly name: string
  readonly settings: ScenarioSettings
  readonly configCluster: string
  /** clusters that are there from the start */
  readonly clusters: ReadonlyArray<string>
  readonly objects: ReadonlyArray<ScenarioObject>
  readonly proxies: ReadonlyArray<ProxyDescription>
  readonly steps: ReadonlyArray<ReadonlyArray<StepItem>>
  /** the initial state, then one after each step */
  readonly expected: ReadonlyArray<ExpectedFiles>
}

/** The folder below `expected/` and `right/` of a snapshot: none without steps, else `00`, `01`, … */
export const snapshotFolder = (
  scenario: { readonly steps: ReadonlyArray<unknown> },
  snapshot: number
): string => (scenario.steps.length === 0 ? "" : String(snapshot).padStart(2, "0"))
