import { nodeOf, parseProxy, type Proxy, type PushRequest } from "@istiod-lite/model"
import { Cause, Effect, Exit } from "effect"
import type { ControlPlane } from "../control-plane.ts"
import { compareFile } from "./compare-file.ts"
import { type ExpectedOutput, expectedOutputs } from "./expected-outputs.ts"
import type { Json } from "./json.ts"
import type { Patch } from "./overlays.ts"
import type { FileResult, ScenarioResult } from "./results.ts"
import { type Scenario, type ScenarioObject, snapshotFolder, type StepItem } from "./scenario.ts"
import { Rejected } from "./via-api-server/api-objects.ts"
import { type StepPushes, StepRecorder } from "./step-pushes.ts"

/** The patches by the expected file they are for. */
export type Overlays = ReadonlyMap<string, ReadonlyArray<Patch>>

/** How the initial objects arrive: in one transaction, or one by one, the last first. */
export type Arrival = "together" | "backwards"

/** What brings a scenario's objects to the control plane. Failures are faults of the run. */
export interface ScenarioDriver {
  readonly initial: Effect.Effect<void, { readonly message: string }>
  readonly item: (item: StepItem) => Effect.Effect<void, { readonly message: string }>
}

export interface PlayOptions {
  readonly isSelected: (kind: string) => boolean
  readonly driver: ScenarioDriver
  /** hands every push request of the control plane to the listener, from now on */
  readonly onPush: (listener: (request: PushRequest) => void) => void
}

/**
 * Loads the scenario into `plane`, then applies its steps item by item, and compares what stands after each. A
 * change that fails is a fault of the run; what follows is compared all the same.
 */
export const playScenario = (
  plane: ControlPlane,
  scenario: Scenario,
  overlays: Overlays,
  { driver, isSelected, onPush }: PlayOptions
): Effect.Effect<ScenarioResult> =>
  Effect.gen(function* () {
    const proxies = new Map(
      scenario.proxies.map((proxy) => [proxy.name, parseProxy(nodeOf(proxy, scenario.configCluster))])
    )
    const faults: Array<string> = strayOverlays(scenario, overlays)
    let refused: string | undefined
    const files: Array<FileResult> = []
    const change = Effect.fnUntraced(function* (
      what: string,
      run: Effect.Effect<void, { readonly message: string }>
    ) {
      const exit = yield* Effect.exit(run)
      if (Exit.isSuccess(exit)) return
      const error = Cause.squash(exit.cause)
      if (error instanceof Rejected) refused ??= error.message
      else faults.push(`${what}: ${faultOf(error)}`)
    })
    const compare = (snapshot: number, step?: StepPushes): void => {
      const expected = expectedOutputs(scenario, snapshot, isSelected)
      faults.push(...expected.faults)
      files.push(
        ...expected.outputs.map((output) =>
          compareOutput(output, overlays.get(output.file) ?? [], {
            plane,
            proxy: proxies.get(output.proxy),
            step
          })
        )
      )
    }

    yield* change("initial objects", driver.initial)
    compare(0)
    if (scenario.steps.length === 0)
      return { name: scenario.name, files, faults, ...(refused === undefined ? {} : { refused }) }
    const recorder = isSelected("events") ? new StepRecorder(plane, proxies.values()) : undefined
    onPush((request) => recorder?.push(request))
    for (const [i, step] of scenario.steps.entries()) {
      for (const item of step) {
        yield* change(
          `step ${i + 1}`,
          Effect.andThen(
            driver.item(item),
            Effect.sync(() => recorder?.look())
          )
        )
      }
      compare(i + 1, recorder?.take())
    }
    return { name: scenario.name, files, faults, ...(refused === undefined ? {} : { refused }) }
  })

/** Brings the objects into memory, at once. */
export const memoryDriver = (
  { source }: ControlPlane,
  scenario: Scenario,
  arrival: Arrival
): ScenarioDriver => {
  const load = ({ cluster, object }: ScenarioObject) => source.apply(cluster, object)
  return {
    initial: Effect.sync(() => {
      if (arrival === "backwards") scenario.objects.toReversed().forEach(load)
      else source.transaction(() => scenario.objects.forEach(load))
    }),
    item: (item) => Effect.sync(() => applyItem(source, item, scenario.configCluster))
  }
}

const applyItem = (source: ControlPlane["source"], item: StepItem, configCluster: string): void => {
  switch (item.action) {
    case "apply":
      return source.apply(item.cluster ?? configCluster, item.object)
    case "delete":
      return source.delete(item.cluster ?? configCluster, item.object)
    case "removeCluster":
      return source.removeCluster(item.cluster)
  }
}

/** What an output is made from. */
interface Subject {
  readonly plane: ControlPlane
  readonly proxy: Proxy | undefined
  readonly step: StepPushes | undefined
}

const compareOutput = (
  { expected, file, kind }: ExpectedOutput,
  patches: ReadonlyArray<Patch>,
  { plane, proxy, step }: Subject
): FileResult => {
  const { output } = kind
  let actual: Json = null
  const fault = attempt(() => {
    if (output.of === "mesh") actual = output.make(plane)
    else if (output.of === "proxy" && proxy !== undefined) actual = output.make(plane, proxy)
    else if (output.of === "step" && step !== undefined) actual = output.make(step)
  })
  return fault === undefined
    ? compareFile(file, kind, expected, patches, actual)
    : { file, kind: kind.name, deviations: [], faults: [`cannot be made: ${fault}`], differences: [] }
}

/** What `run` threw, if it did: a defect of ours that should cost one file, not the whole run. */
const attempt = (run: () => void): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    return faultOf(error)
  }
}

const faultOf = (error: unknown): string =>
  error instanceof Error ? firstLines(error.stack ?? error.message) : String(error)

/** Of a stack trace: the message and where it came from. */
const firstLines = (text: string): string => text.split("\n").slice(0, 3).join("\n")

/** Overlays for files that the scenario does not have: left over from a golden that is gone, or misspelt. */
const strayOverlays = (scenario: Scenario, overlays: Overlays): Array<string> => {
  const files = scenario.expected.flatMap((names, snapshot) => {
    const folder = snapshotFolder(scenario, snapshot)
    return [...names.keys()].map((name) => (folder === "" ? name : `${folder}/${name}`))
  })
  return [...overlays.keys()]
    .filter((file) => !files.includes(file))
    .map((file) => `overlay ${file}: the scenario has no such expected file`)
}
