import type { Collection } from "@istiod-lite/collections"
import {
  hasLabels,
  labelKeysOfSelector,
  type Labels,
  type ObjectMeta,
  selects,
  type Workloads
} from "@istiod-lite/model"
import type { Findings, Searched } from "./findings.ts"

/** Selectors that no workload matches. The mesh's root namespace selects in all namespaces, so it is left out. */
export const emptySelectors = ({
  inputs: { mesh, source },
  workloads
}: Pick<Searched, "inputs" | "workloads">): Findings => {
  const [settings] = mesh.values()
  const { config } = source
  const selectors = [
    ...[...source.clusters.values()].flatMap(({ objects }) =>
      // An ExternalName is an alias: what it selects does not matter.
      selectorsOf("Service", objects.Service, ({ selector, type }) =>
        type === "ExternalName" ? {} : selector
      )
    ),
    ...selectorsOf("ServiceEntry", config.ServiceEntry, ({ workloadSelector }) => workloadSelector),
    ...selectorsOf("DestinationRule", config.DestinationRule, ({ workloadSelector }) => workloadSelector),
    ...selectorsOf("Sidecar", config.Sidecar, ({ workloadSelector }) => workloadSelector),
    ...selectorsOf("PeerAuthentication", config.PeerAuthentication, ({ selector }) => selector)
  ]
  return new Map(
    selectors
      .filter(({ namespace }) => namespace !== settings?.rootNamespace)
      .filter(({ labels, namespace }) => !matchesAny(workloads, namespace, labels))
      .map(({ labels, object }) => {
        const text = `${object} selects ${labelsText(labels)}, which no workload of its namespace has`
        return [`${object}: ${labelsText(labels)}`, { kind: "EmptySelector", text }] as const
      })
  )
}

const selectorsOf = <O extends { readonly meta: ObjectMeta }>(
  kind: string,
  objects: Collection<O>,
  selectorOf: (object: O) => Labels | undefined
) =>
  [...objects.values()].flatMap((object) => {
    const labels = selectorOf(object)
    const { name, namespace } = object.meta
    return hasLabels(labels) ? [{ object: `${kind} ${namespace}/${name}`, namespace, labels }] : []
  })

const matchesAny = ({ byLabel }: Workloads, namespace: string, labels: Labels): boolean => {
  const [first] = labelKeysOfSelector(namespace, labels)
  return first === undefined || byLabel.lookup(first).some(([, { facts }]) => selects(labels, facts.labels))
}

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",")
