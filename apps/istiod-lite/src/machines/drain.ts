import { type ObjectReference, ObjectWriter, similarName } from "@istiod-lite/model"
import { loadKubeConfig, makeKubeClient, makeObjectWriter } from "@istiod-lite/source-kube"
import { drainingLabel } from "@istiod-lite/workload-registration"
import { Console, Effect } from "effect"
import { kubeConfigOf } from "../compose/api-server-source.ts"
import type { SourceOptions } from "../compose/source-options.ts"
import { NothingFound, WrongUse } from "../query/query-error.ts"

/** Which machine, and where its entry is. */
export interface DrainOptions extends Pick<SourceOptions, "context" | "inCluster" | "kubeconfig"> {
  /** `namespace/name` */
  readonly machine: string
}

const workloadEntry = { apiVersion: "networking.istio.io/v1", kind: "WorkloadEntry" } as const

/** Marks a machine's entry as draining, or takes the mark away; says what that means. */
export const drain = (options: DrainOptions, isDrained: boolean) =>
  Effect.gen(function* () {
    const [namespace, name, ...rest] = options.machine.split("/")
    if (!namespace || !name || rest.length > 0) {
      const message = `${options.machine} names no machine. Write NAMESPACE/NAME, as istiod-lite vm list shows it.`
      return yield* new WrongUse({ message })
    }
    const loaded = yield* loadKubeConfig(yield* kubeConfigOf(options))
    const writer = makeObjectWriter(yield* makeKubeClient(loaded))
    return yield* setDraining({ ...workloadEntry, namespace, name }, isDrained).pipe(
      Effect.provideService(ObjectWriter, writer)
    )
  }).pipe(Effect.scoped)

/** Writes the label. Nothing happens if it is so already. */
export const setDraining = (entry: ObjectReference, isDrained: boolean) =>
  Effect.gen(function* () {
    const writer = yield* ObjectWriter
    const machine = `${entry.namespace}/${entry.name}`
    const before = yield* writer.get(entry)
    if (before === undefined) return yield* notFound(entry)
    const wasDrained = Boolean(before.metadata.labels?.[drainingLabel])
    if (wasDrained === isDrained) {
      return yield* Console.log(`${machine} is ${isDrained ? "draining already" : "in traffic already"}.`)
    }
    yield* writer.patch(entry, { metadata: { labels: { [drainingLabel]: isDrained ? "true" : null } } })
    return yield* Console.log(
      isDrained
        ? `${machine} is draining: it gets no new traffic, but that of persistent sessions. Its entry stays.`
        : `${machine} takes traffic again.`
    )
  })

const notFound = ({ apiVersion, kind, name, namespace }: ObjectReference) =>
  Effect.gen(function* () {
    const writer = yield* ObjectWriter
    const names = (yield* writer.list({ apiVersion, kind }, namespace)).map(({ metadata }) => metadata.name)
    const similar = similarName(name, names, 2)
    const hint =
      similar === undefined
        ? `There are: ${names.slice(0, 10).join(", ") || "none"}.`
        : `Did you mean ${similar}?`
    return yield* new NothingFound({ message: `There is no WorkloadEntry ${namespace}/${name}. ${hint}` })
  })
