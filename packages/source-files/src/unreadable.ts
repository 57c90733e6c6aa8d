import type { ManifestFault } from "./manifest-fault.ts"
import type { Refresh } from "./manifest-files.ts"

/**
 * Clusters of which something could not be read, so that its last state stays: why, in words. What can be read but is
 * faulty is no reason: it is told as a fault.
 */
export const unreadableClusters = ({ changes, faults }: Refresh): ReadonlyMap<string, string> => {
  const found = [
    ...faults.filter(({ severity }) => severity !== "info"),
    ...changes.flatMap((change) => (change.change === "unreadable" ? [change.fault] : []))
  ]
  return new Map(
    [...Map.groupBy(found, ({ cluster }) => cluster)].map(([cluster, problems]) => [
      cluster,
      inWords(problems)
    ])
  )
}

const inWords = ([first, ...others]: ReadonlyArray<ManifestFault>): string => {
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  return `cannot read ${first?.file}: ${first?.reason}${more}`
}
