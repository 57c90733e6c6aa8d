import type { ServiceEntryStatuses } from "@istiod-lite/model"
import type { Json } from "../json.ts"

/** `allocated.json`: the addresses that the allocator wrote for each ServiceEntry, by `namespace/name`. */
export const allocatedJson = (
  entries: Iterable<string>,
  statuses: ServiceEntryStatuses["Service"] | undefined
): Json =>
  Object.fromEntries(
    [...entries].map((key) => [key, (statuses?.get(key) ?? []).map(({ host, value }) => ({ host, value }))])
  )
