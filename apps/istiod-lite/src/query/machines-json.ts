import type { WorkloadEntry } from "@istiod-lite/model"
import type { Json } from "@istiod-lite/registry-aggregate"
import { type Machine, machineOf, type WorkloadRegistration } from "@istiod-lite/workload-registration"

/** The machines of the mesh, and those that were refused lately. Without a registration nobody is, or was, connected. */
export const machinesJson = (
  entries: Iterable<WorkloadEntry>,
  registration: WorkloadRegistration["Service"] | undefined
): Json => {
  const machines =
    registration?.machines() ?? [...entries].map((entry) => machineOf(entry, [])).toSorted(byName)
  return { machines: machines.map(toJson), refused: (registration?.refused() ?? []).map(toJson) }
}

const byName = (a: Machine, b: Machine): number =>
  a.namespace < b.namespace
    ? -1
    : a.namespace > b.namespace
      ? 1
      : a.name < b.name
        ? -1
        : a.name > b.name
          ? 1
          : 0

/** An interface has no index signature, which JSON has. */
const toJson = (value: object): Json => ({ ...value })
