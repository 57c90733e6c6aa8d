import type { PushRequest } from "@istiod-lite/model"

/** A request in two: what goes ahead, and what may wait. */
export interface SplitRequest {
  readonly ahead: PushRequest | undefined
  readonly rest: PushRequest | undefined
}

/** Which part of a request waits for nobody: removals (D-2), or all changes of endpoints alone, too. */
export type GoesAhead = "removals" | "endpoints"

/** Splits a request; together both parts ask for the same. Reasons are counted with the rest, if there is one. */
export const splitRequest = (request: PushRequest, goesAhead: GoesAhead): SplitRequest => {
  const { endpoints, full, proxies, removals = new Set(), services } = request
  const goes = (name: string): boolean =>
    removals.has(name) || (goesAhead === "endpoints" && endpoints.has(name))
  if (removals.size === 0 && (goesAhead === "removals" || endpoints.size === 0))
    return { ahead: undefined, rest: request }
  const ahead: PushRequest = {
    full: false,
    services: filter(services, (name) => removals.has(name)),
    endpoints: filter(endpoints, goes),
    removals,
    proxies: new Set(),
    reasons: new Map(),
    since: request.since
  }
  const isAll =
    !full &&
    proxies.size === 0 &&
    ahead.services.size === services.size &&
    ahead.endpoints.size === endpoints.size
  if (isAll) return { ahead: request, rest: undefined }
  const rest: PushRequest = {
    ...request,
    services: filter(services, (name) => !ahead.services.has(name)),
    endpoints: filter(endpoints, (name) => !ahead.endpoints.has(name)),
    removals: new Set()
  }
  return { ahead, rest }
}

const filter = (names: ReadonlySet<string>, where: (name: string) => boolean): ReadonlySet<string> =>
  new Set([...names].filter(where))
