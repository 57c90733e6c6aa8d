import { laterKinds, type OutputKind, outputKinds } from "./output-kinds.ts"
import { type ExpectedFile, type Scenario, snapshotFolder } from "./scenario.ts"

/** An expected file and what of ours it is compared with. */
export interface ExpectedOutput {
  /** path below `expected/` */
  readonly file: string
  readonly kind: OutputKind
  /** name of the proxy whose view it is; empty for files of the mesh */
  readonly proxy: string
  readonly expected: ExpectedFile
}

export interface ExpectedOutputs {
  readonly outputs: ReadonlyArray<ExpectedOutput>
  /** files that no kind of ours or of later explains */
  readonly faults: ReadonlyArray<string>
}

/** The files of the selected kinds that a snapshot has, and those whose absence demands that we have nothing either. */
export const expectedOutputs = (
  scenario: Scenario,
  snapshot: number,
  isSelected: (kind: string) => boolean
): ExpectedOutputs => {
  const files = scenario.expected[snapshot] ?? new Map<string, ExpectedFile>()
  const folder = snapshotFolder(scenario, snapshot)
  const pathOf = (name: string): string => (folder === "" ? name : `${folder}/${name}`)
  const proxies = new Set(scenario.proxies.map(({ name }) => name))
  const found = [...files].map(([name, expected]) => ({ name, expected, ...explain(name, proxies) }))
  const absent = outputKinds.flatMap((kind) => {
    const name = `${kind.name}.json`
    return kind.absent === undefined || files.has(name)
      ? []
      : [{ file: pathOf(name), kind, proxy: "", expected: { json: kind.absent, corrected: false } }]
  })
  const present = found.flatMap(({ expected, kind, name, proxy }) =>
    kind === undefined ? [] : [{ file: pathOf(name), kind, proxy, expected }]
  )
  return {
    outputs: [...present, ...absent].filter(({ kind }) => isSelected(kind.name)),
    faults: found.flatMap(({ isKnown, name }) =>
      isKnown
        ? []
        : [`expected/${pathOf(name)}: is of no known kind, or of a proxy that is not in proxies.yaml`]
    )
  }
}

/** Which kind of output a file name stands for, and whose: `services.json`, `web.eds.json`. */
const explain = (file: string, proxies: ReadonlySet<string>) => {
  const base = file.replace(/\.json$/, "")
  const dot = base.lastIndexOf(".")
  const proxy = base.slice(0, Math.max(dot, 0))
  const name = base.slice(dot + 1)
  const isOfProxy = dot >= 0
  const kind = outputKinds.find(
    ({ name: known, output }) => known === name && (output.of === "proxy") === isOfProxy
  )
  const isKnown = (kind !== undefined || laterKinds.includes(name)) && (!isOfProxy || proxies.has(proxy))
  return { kind: isKnown ? kind : undefined, proxy, isKnown }
}
