import { compareSpecificity, isSubsetOf } from "@istiod-lite/model"

/**
 * The most specific of the host patterns that cover `hostname`: itself, then the longest wildcard.
 *
 * Source: istio pilot/pkg/model/config.go (MostSpecificHostMatch).
 */
export const mostSpecificHost = (hostname: string, patterns: Iterable<string>): string | undefined => {
  let best: string | undefined
  for (const pattern of patterns) {
    if (!isSubsetOf(hostname, pattern)) continue
    if (best === undefined || compareSpecificity(pattern, best) < 0) best = pattern
  }
  return best
}
